import { type FileAttack, failing, WRITE } from "./fs-attack.ts";

const EVERYTHING = { read: ["/**"], write: ["/**"] };
const readsAll = { body: 'return fs.readFileSync(W + "/proj/a.txt", "utf8");', answer: "alpha" };

/** Files of the kernel: not even a grant of all files covers them. */
const KERNEL = [
  "/proc/self/environ",
  "/proc/thread-self/environ",
  "/proc/self/fd/0",
  "/proc/1/cmdline",
  "/proc/version",
  "/sys/kernel/uevent_seqnum",
  "/dev/zero",
  "/dev/random",
  "/dev/stdin",
  "/dev/../proc/self/environ",
  "/run/user/0/bus",
];

export const kernel: FileAttack[] = [
  ...KERNEL.map((path) => ({
    name: `reading ${path}`,
    grant: EVERYTHING,
    body: `return fs.readFileSync(${JSON.stringify(path)}, "utf8");`,
    works: readsAll,
  })),
  {
    name: "a link to the environment of the agent",
    links: { "proj/env": "/proc/self/environ" },
    grant: EVERYTHING,
    body: 'return fs.readFileSync("env", "utf8");',
    works: readsAll,
  },
  {
    name: "a listing of the agent's open files",
    grant: EVERYTHING,
    body: 'return fs.readdirSync("/proc/self/fd");',
    works: { body: 'return fs.readdirSync(W + "/proj/docs/deep");', answer: ["c.txt"] },
  },
  {
    name: "a path to a secret through the kernel's names",
    grant: { read: ["/proc/**", "$CWD/**"] },
    body: 'return fs.readFileSync("/proc/self/root" + W + "/outside/note.txt", "utf8");',
    works: { body: 'return fs.readFileSync("/proc/self/root" + W + "/proj/a.txt", "utf8");', answer: "alpha" },
  },
  {
    name: "writing to a device",
    grant: EVERYTHING,
    body: 'fs.appendFileSync("/dev/null", "x");',
    works: {
      body: 'fs.appendFileSync(W + "/proj/a.txt", "!"); return fs.readFileSync("a.txt", "utf8");',
      answer: "alpha!",
    },
  },
];

/** Acts on a file: a call, and its result for a plain file. */
const CALLS = {
  read: ['return fs.readFileSync("%", "utf8");', "beta"],
  write: ['fs.writeFileSync("%", "new"); return fs.readFileSync("docs/b.txt", "utf8");', "new"],
  append: ['fs.appendFileSync("%", "new"); return fs.readFileSync("docs/b.txt", "utf8");', "betanew"],
  copy: ['fs.copyFileSync("%", "copy"); return fs.readFileSync("copy", "utf8");', "beta"],
  overwrite: ['fs.copyFileSync("a.txt", "%"); return fs.readFileSync("docs/b.txt", "utf8");', "alpha"],
} as const;

/** Files that are not plain files, and the code that each call fails with: some are the system's own. */
const ODD: { what: string; given: Partial<FileAttack>; codes: Partial<Record<keyof typeof CALLS, string>> }[] = [
  {
    what: "a pipe without a writer",
    given: { pipes: ["proj/odd"] },
    codes: { read: "EINVAL", write: "EINVAL", append: "ENXIO", copy: "EINVAL", overwrite: "EINVAL" },
  },
  {
    what: "a socket",
    given: { sockets: ["proj/odd"] },
    codes: { read: "ENXIO", write: "EINVAL", append: "ENXIO", copy: "ENXIO", overwrite: "EINVAL" },
  },
  {
    what: "a hard link to a file outside",
    given: { twins: { "proj/odd": "outside/note.txt" } },
    codes: { write: "EINVAL", append: "EMLINK", overwrite: "EINVAL" },
  },
  {
    what: "a folder",
    given: { files: { "proj/odd/x": "" } },
    codes: { read: "EISDIR", write: "EISDIR", append: "EISDIR", copy: "EISDIR", overwrite: "EISDIR" },
  },
];

export const oddFiles: FileAttack[] = ODD.flatMap(({ what, given, codes }) =>
  Object.entries(codes).map(([call, code]) => {
    const [body, answer] = CALLS[call as keyof typeof CALLS];
    return {
      name: `${call} ${what}`,
      ...given,
      grant: WRITE,
      body: body.replace("%", "odd"),
      answer: failing(code),
      works: { body: body.replace("%", "docs/b.txt"), answer },
    };
  }),
);
