import { tmpdir } from "node:os";
import fc from "fast-check";
import npa from "npm-package-arg";
import { expect, test } from "vitest";
import { judgedSource } from "../../src/grants/judged-source.ts";
import { fitsSource, type Policy, policyFault } from "../../src/grants/policy.ts";
import { policyNotes } from "../../src/grants/policy-notes.ts";
import { lockedSource, sourceOf } from "../../src/market/source.ts";

const here = tmpdir();

/** One package or repository, and what a person can type for it. */
const SPELLINGS: Record<string, string[]> = {
  "npm:gate": [
    ...["gate", "gate@1.0.0", "gate@v1", "gate@latest", "gate@^1", "gate@*", "gate@1 - 2", "npm:gate", "npm:gate@1"],
    ...["GATE", "npm:Gate@1.0.0"],
  ],
  "npm:@acme/gate": ["@acme/gate", "@acme/gate@1.0.0", "@acme/gate@next", "npm:@acme/gate@~1", "@Acme/gate@1.0.0"],
  "git:github:acme/gate": [
    ...["github:acme/gate", "acme/gate", "github:acme/gate#v1", "acme/gate#semver:^1", "github:acme/gate.git"],
    ...["github:me:word@acme/gate", "GitHub:acme/gate".toLowerCase(), "github:Acme/Gate"],
    ...[
      "https://github.com/acme/gate",
      "https://github.com/acme/gate.git",
      "git+https://github.com/acme/gate.git#main",
    ],
    ...[
      "https://me@github.com/acme/gate.git",
      "git+https://me:word@github.com/acme/gate",
      "https://GITHUB.com/acme/gate",
    ],
    ...["git@github.com:acme/gate.git", "git+ssh://git@github.com/acme/gate.git#v1", "ssh://git@github.com/acme/gate"],
    ...[
      "git://github.com/acme/gate.git",
      "https://www.github.com/acme/gate",
      "git+https://github.com:443/acme/gate.git",
    ],
  ],
  "git:github:37signals/gate": ["github:37signals/gate", "git+https://github.com/37signals/gate"],
  "git:gist:0123456789abcdef": ["gist:0123456789abcdef", "gist:acme/0123456789abcdef"],
  "git:gitlab:acme/gate": [
    "gitlab:acme/gate",
    "git+https://gitlab.com/acme/gate.git",
    "git@gitlab.com:acme/gate.git#x",
  ],
  "git:git+https://git.example.com/gate": [
    ...[
      "git+https://git.example.com/gate.git",
      "git+https://git.example.com/gate",
      "git+https://git.example.com/gate/",
    ],
    ...["git+https://git.example.com/gate.git#main", "git+https://me:word@git.example.com/gate.git"],
    ...["git+https://GIT.example.com/gate.git", "git+https://git.example.com:443/gate.git"],
  ],
  "git:git+ssh://git@git.example.com/gate": [
    ...["git+ssh://git@git.example.com/gate.git", "git+ssh://git@git.example.com/gate#semver:^1"],
  ],
  "https://example.com/gate.tgz": [
    ...[
      "https://example.com/gate.tgz",
      "https://me:word@example.com/gate.tgz",
      "https://EXAMPLE.com:443/x/../gate.tgz",
    ],
  ],
};

const ROWS = Object.entries(SPELLINGS).flatMap(([judged, given]) => given.map((one) => [one, judged] as const));

test.each(ROWS)("%s is forbidden and allowed as %s", (given, judged) => {
  const { origin: source } = sourceOf(given, here);
  const allows = (glob: string): boolean =>
    policyFault([{ version: 1, sources: [glob] } as Policy], { source, provenance: "none" }) === undefined;
  expect({ forbidden: allows(`!${judged}`), listed: allows(`{${judged},npm:x}`) }).toEqual({
    forbidden: false,
    listed: true,
  });
  expect(allows("npm:x")).toBe(false);
  expect(allows("!npm:x")).toBe(true);
  // An update asks for what was typed.
  expect(lockedSource(source, here).origin).toBe(source);
});

test.each([
  ["another name for a package", () => sourceOf("other@npm:gate@1", here)],
  ["the same behind npm:", () => sourceOf("npm:other@npm:gate@1", here)],
])("%s cannot be added", (_name, add) => {
  expect(add).toThrow(/alias packages cannot be added/);
});

test("the URL of a registry's tarball is another source: only a list of what is allowed keeps it out", () => {
  const source = sourceOf("https://registry.npmjs.org/gate/-/gate-1.0.0.tgz", here).origin;
  const fault = (glob: string) =>
    policyFault([{ version: 1, sources: [glob] } as Policy], { source, provenance: "none" });
  expect(fault("!npm:gate")).toBeUndefined();
  expect(fault("npm:!(gate)")).toMatch(/does not allow hooks from https:/);
});

test.each(["npm:gate@1.0.0", "!npm:gate@1.0.0", "git:github:a/b#v1", "git:git+https://github.com/a/b.git"])(
  "%s matches nothing, and a check of the policy says what would",
  (glob) => {
    const [note] = policyNotes({ version: 1, sources: [glob] } as Policy, []);
    expect(note).toContain(`can match nothing: a source is judged as ${judgedSource(glob.replace("!", ""))}`);
  },
);

test.each([
  "github:acme/../evil/x",
  "acme/../evil/x.git#main",
  "git+https://github.com/acme/../evil/x",
  "git+https://github.com/acme/%2e%2E/evil/x",
  "git+https://github.com/acme%2F..%2Fevil/x",
  "git+ssh://git@github.com/acme/../evil/x.git",
  "git@github.com:acme/../evil/x",
  "git+http://127.0.0.1:80?@github.com/acme/x",
  "git+http://127.0.0.1:80/?@github.com/acme/x",
  "git+http://127.0.0.1:80\\@github.com/acme/x",
  "git+https://me@evil.example@github.com/acme/x",
  "git+ssh://github.com/acme/x:evil/x",
  "git+ssh://evil.example:x@github.com/acme/x/y",
  "git@github.com/acme/x:github.com/acme/x",
  "git+file://github.com/acme/..//srv/evil",
  "git+file://x@github.com/acme/../srv/evil",
  "git+https://github.com:8443/acme/gate",
  "git+https://GitHub.com:8443/acme/gate",
  "git+https://github.com:0443/acme/gate",
  "git+https://github.com:/acme/gate",
  "git+ssh://git@github.com:2222/acme/gate.git",
  "git+https://github.com/acme/g%61te",
  "github:acme/g%61te",
  "github:acme/sub/gate",
  "git+https://github.com/acme/gate/tree/main",
  "git+https://bitbucket.org/acme/gate/src",
  "https://git.sr.ht/~acme/gate/log",
  "git+https://gitlab.com/acme/gate/-/tree/main",
  "git+https://gitlab.com/acme/gate/archive.tar.gz",
  "gate@acme/gate",
  "Github:/evil/x",
  "GITHUB:evil/x",
  "github:///evil/x",
  "git+https:git.example.com/acme/x",
  "git+https:/git.example.com/acme/x",
  "git+https:///git.example.com/acme/x",
  "git+ssh:git.example.com/acme/x",
  "git+https://github.com./acme/x",
  "git+https://git.example.com.:443/acme/x",
  "git+http://github.com/acme/gate.git",
  "gate@github:acme/gate",
  "git+https://gist.github.com/evil/ee00ee00/aaaa1111",
  "gist:evil/ee00ee00/aaaa1111",
  "git+https://git.example.com/g%61te",
  "git+https://githu%62.com/acme/gate",
  "git+https://\uff47ithub.com/acme/gate",
])("%s is no source, and no policy lets a lock have it", (given) => {
  const locked = `git:${given}`;
  expect(() => sourceOf(given, here)).toThrow(/may lead elsewhere than it says|no such file|names no package/);
  expect(() => lockedSource(locked, here)).toThrow(/may lead elsewhere than it says/);
  for (const glob of ["git:github:acme/*", "**", "!git:github:evil/*"])
    expect(policyFault([{ version: 1, sources: [glob] }], { source: locked, provenance: "none" })).toContain(locked);
});

test.each([
  ["git:gist:trusted/0123456789abcdef", "git:gist:0123456789abcdef"],
  ["git:git+https://gist.github.com/trusted/0123456789abcdef.git", "git:gist:0123456789abcdef"],
  ["git:git+http://git.example.com/gate.git", "git:git+http://git.example.com/gate"],
  ["git:git+https://me:a%21%23@git.example.com/gate", "git:git+https://git.example.com/gate"],
  ["git:git+https://dev.example.com/a%26b/Caf%C3%A9", "git:git+https://dev.example.com/a%26b/Caf%C3%A9"],
  ["git:git+https://git.example.com:8443/acme/gate.git", "git:git+https://git.example.com:8443/acme/gate"],
  ["git:git+https://dev.example.com/my%20team/gate", "git:git+https://dev.example.com/my%20team/gate"],
  ["git:git+https://gitlab.com/acme/sub/gate.git", "git:gitlab:acme/sub/gate"],
])("%s is judged as what is fetched", (source, judged) => {
  expect(judgedSource(source)).toBe(judged);
});

test("a path of a lock that leaves what it names is no source", () => {
  expect(() => lockedSource("path:./hooks/../evil", here)).toThrow(/may lead elsewhere/);
  expect(fitsSource(["path:./hooks/*"], "path:./hooks/../evil")).toBe(false);
  expect(fitsSource(["path:./hooks/*"], "path:./hooks/..gate")).toBe(true);
});

/** Where npm and git go for a repository: the server, and the first name of the path. */
function reached(spec: string): string {
  const { hosted, fetchSpec } = npa(spec);
  if (hosted) return `${hosted.domain} ${hosted.domain === "gist.github.com" ? "" : hosted.user?.split("/")[0]}`;
  const [, server, path] = /^(?:[^/:@]*@)?([^/:]+):(?!\/\/)([^/]*)/.exec(String(fetchSpec)) ?? [];
  if (server !== undefined) return `${server} ${path}`;
  const { host, pathname } = new URL(String(fetchSpec).replace(/^[a-z+]+:/i, "http:"));
  return `${host.replace(/^www\./, "")} ${pathname.split("/")[1]}`;
}

test("whatever npm fetches from a repository is judged as that", () => {
  const any = (...pieces: string[]) => fc.constantFrom(...pieces);
  const spec = fc
    .tuple(
      any(
        "",
        "x@",
        "x@github:",
        "GitHub:",
        "github:/",
        "git+https:",
        "github:",
        "gitlab:",
        "git@",
        "https://",
        "git+https://",
        "git+ssh://",
        "ssh://",
        "git://",
      ),
      any("", "", "me@", "www."),
      any("github.com", "GitHub.com", "gitlab.com", "bitbucket.org", ""),
      any("", "", ":8443", ":443", ":22", ":0443", ":"),
      any("/", ":", ""),
      any("acme/gate", "acme/g%61te", "acme//gate", "acme/gate.git", "./acme/gate"),
      any("", "", "/", "/tree/main", "/raw", "#v1", "?x"),
    )
    .map((parts) => parts.join(""));
  let fetched = 0;
  fc.assert(
    fc.property(spec, (given) => {
      let source: ReturnType<typeof sourceOf>;
      try {
        // A lock has any text.
        source = lockedSource(`git:${given}`, here);
      } catch {
        return;
      }
      const { hosted } = npa(source.spec);
      if (source.kind !== "git" || hosted?.user !== "acme" || hosted.project !== "gate") return;
      fetched++;
      const policy = { version: 1, sources: ["!git:{github,gitlab,bitbucket}:acme/gate"] } as Policy;
      expect(policyFault([policy], { source: source.origin, provenance: "none" }), given).toBeDefined();
    }),
    { numRuns: 20_000 },
  );
  expect(fetched).toBeGreaterThan(50);
});

test("whatever fits a policy's repositories is fetched from there", () => {
  const pieces = [
    ...["github.com", "evil.com", "127.0.0.1:80", "acme", "evil", "x", "..", ".", "/", "/", "//", "@", ":", "?", "\\"],
    ...[
      "%2e%2e",
      "%2F",
      "#",
      "me",
      "www.",
      ":8443/",
      "gist.github.com",
      "acme/x",
      "github.com/acme/x",
      "acme/../evil/x",
      "user:word@",
    ],
  ];
  const schemes = ["", "github:", "git@", "git:", "gitlab:", "https://", "git+file:"];
  const starts = [...schemes, ...["git+https", "git+http", "git+ssh", "ssh", "git", "git+file"].map((s) => `${s}://`)];
  let fitted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.array(fc.constantFrom(...pieces), { maxLength: 6 }), (start, rest) => {
      const spec = start + rest.join("");
      let source: ReturnType<typeof sourceOf>;
      try {
        source = sourceOf(spec, here);
      } catch {
        return;
      }
      if (source.kind !== "git" || !fitsSource(["git:github:acme/*"], source.origin)) return;
      fitted++;
      expect(reached(source.spec).toLowerCase(), spec).toBe("github.com acme");
    }),
    { numRuns: 20_000 },
  );
  expect(fitted).toBeGreaterThan(50);
});

test("whatever is fetched from a URL is judged as that, from a command or a lock", () => {
  const any = (...pieces: string[]) => fc.constantFrom(...pieces);
  const text = fc
    .tuple(
      any("", "", "x@", "@a/x@", "npm:", "git:", " "),
      any("https://", "HTTPS://", "http://", "hTTp://", "https:/", "https:\\", "https:///"),
      any("", "", "me@", "me:word@", "good.example@", "good.example\\"),
      any("evil.example", "evil.example", "EVIL.example", "evil.example.", "ev\til.example", "evil%2eexample"),
      any("", ":443", ":80", ":0443", ":8443", ":"),
      any("/x.tgz", "/a/../x.tgz", "//x.tgz", "/a\\x.tgz", "", "/%78.tgz"),
      any("", "", "", "?y", "#z", "?", "#"),
    )
    .map((parts) => parts.join(""));
  const policy: Policy = { version: 1, sources: ["!{http,https}://evil.example*/**"] };
  let fetched = 0;
  fc.assert(
    fc.property(text, fc.boolean(), (given, isLocked) => {
      let source: ReturnType<typeof sourceOf>;
      try {
        source = isLocked ? lockedSource(given, here) : lockedSource(sourceOf(given, here).origin, here);
      } catch {
        return true;
      }
      if (source.kind !== "tarball") return true;
      const { hostname } = new URL(String(npa(source.spec).fetchSpec));
      if (!/^evil\.example\.?$/.test(hostname)) return true;
      fetched++;
      return policyFault([policy], { source: source.origin, provenance: "none" }) !== undefined;
    }),
    { numRuns: 5000 },
  );
  expect(fetched).toBeGreaterThan(200);
});

test("the URL of a tarball with a query fits no glob", () => {
  expect(fitsSource(["https://example.com/**"], "https://example.com/x.tgz?y")).toBe(false);
  expect(fitsSource(["https://example.com/**"], "https://example.com/x.tgz")).toBe(true);
  for (const path of ["a/..%2f..%2fevil/x.tgz", "a/..%5c..%5cevil/x.tgz", "a/%2e%2E/x.tgz", "a//x.tgz", "a/..;/x.tgz"])
    expect(fitsSource(["https://example.com/a/**"], `https://example.com/${path}`), path).toBe(false);
  expect(lockedSource("https://example.com/x.tgz?y", here)).toMatchObject({ kind: "tarball" });
});
