import { type FileAttack, READ, SECRET } from "./fs-attack.ts";

/** Names that no wildcard covers for reading, and the closest names that one covers. */
const SECRETS: [name: string, near: string][] = [
  [".env", "env"],
  [".env.local", ".environment"],
  [".envrc", ".envrcs"],
  [".npmrc", "npmrc"],
  [".netrc", "netrc.txt"],
  [".git/config", ".git/HEAD"],
  [".git-credentials", "git-credentials"],
  ["keys/id_rsa", "keys/id_rsax"],
  ["keys/id_ed25519.pub", "keys/my_id_ed25519"],
  ["keys/server.pem", "keys/server.pem.txt"],
  ["keys/server.key", "keys/server.keys"],
  [".ssh/known_hosts", "ssh/known_hosts"],
  [".aws/credentials", "aws/config"],
  ["secrets.json", "secretary.json"],
  ["sub/.env/inside.txt", "sub/env/inside.txt"],
  // Other spellings, which are the same file on some file systems, or after an archive was unpacked.
  [".ENV", "ENV"],
  [".Env", ".Envy"],
  [".e\u200dnv", "e\u200dnv"],
  ["\u200b.env", "\u200benv"],
  ["\uff0e\uff45\uff4e\uff56", "\uff45\uff4e\uff56"],
  [".env.", "env."],
  [".env ", "env "],
  [".env. .", "env. ."],
  ["ID_RSA", "ID_RSAX"],
  ["Server.PEM", "Server.PEMS"],
  [".GIT/Config", ".GIT/HEAD"],
  ["\u212aeys.\u212aey", "\u212aeys.\u212aeys"],
];

/** The same for writing: names of files that a program runs or obeys. */
const CODE: [name: string, near: string][] = [
  [".git/hooks/pre-commit", "git/hooks/pre-commit"],
  [".pi/hooks/x.ts", "pi/hooks/x.ts"],
  [".cordon/hooks.lock", "cordon/hooks.lock"],
  [".husky/pre-commit", "husky/pre-commit"],
  ["package.json", "package.jsonx"],
  ["sub/package.json", "sub/packages.json"],
  ["package-lock.json", "package-lock.txt"],
  [".github/workflows/ci.yml", "github/workflows/ci.yml"],
  ["Makefile", "Makefile.txt"],
  ["GNUmakefile", "makefiles"],
  ["vite.config.ts", "vite.config.txt"],
  ["tsconfig.build.json", "tsconfig.txt"],
  ["node_modules/x/index.js", "modules/x/index.js"],
  [".vscode/tasks.json", "vscode/tasks.json"],
  ["AGENTS.md", "AGENTS.txt"],
  ["CLAUDE.md", "CLAUDES.md"],
  ["x.hook.json", "hook.json"],
  [".gitattributes", "gitattributes"],
  ["Dockerfile", "Docker"],
  [".env", "env"],
  ["PACKAGE.JSON", "PACKAGE.TXT"],
  ["Package.json.", "Packages.json."],
  [".Hus\u00adky/pre-commit", "Hus\u00adky/pre-commit"],
  ["\uff4dakefile", "\uff4dake"],
];

const shown = (name: string) => JSON.stringify(name).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);

export const secretNames: FileAttack[] = SECRETS.map(([name, near]) => ({
  name: `reading ${shown(name)}`,
  files: { [`proj/${name}`]: SECRET, [`proj/${near}`]: "plain" },
  grant: READ,
  body: `return fs.readFileSync(${JSON.stringify(name)}, "utf8");`,
  works: { body: `return fs.readFileSync(${JSON.stringify(near)}, "utf8");`, answer: "plain" },
}));

const writes = (name: string) => `
  fs.mkdirSync(${JSON.stringify(`./${name}/..`)}, { recursive: true });
  fs.writeFileSync(${JSON.stringify(name)}, "new");
  return fs.statSync(${JSON.stringify(name)}).size;`;

export const codeNames: FileAttack[] = CODE.map(([name, near]) => ({
  name: `writing ${shown(name)}`,
  grant: { read: ["$CWD/**"], write: ["$CWD/**"] },
  body: `return fs.writeFileSync(${JSON.stringify(name)}, "new");`,
  works: { body: writes(near), answer: 3 },
}));

const READ_EXACTLY = [".env", ".npmrc", ".git/config", "keys/id_rsa", "keys/server.pem", ".ENV"];
const WRITTEN_EXACTLY = [
  "package.json",
  ".github/workflows/ci.yml",
  "Makefile",
  "vite.config.ts",
  ".husky/pre-commit",
  ".git/HEAD",
];

/** Patterns that cover a name, or almost cover it, but are not the exact name. */
const almost = (name: string): string[] => [
  `$CWD/${name}*`,
  `$CWD/${name.slice(0, -1)}?`,
  `$CWD/${name.slice(0, -1)}[a-zA-Z]`,
  `$CWD/{${name},x}`,
  `$CWD/**/${name}`,
  `$CWD/${name}/**`,
  `$CWD/${name}.txt`,
];

/** A refused name is granted only by its exact name, and by no pattern with a wildcard. */
export const namedExactly: FileAttack[] = [
  ...READ_EXACTLY.map((name) => ({
    name: `reading ${name} by patterns that almost name it`,
    files: { [`proj/${name}`]: "named" },
    grant: { read: ["$CWD/**", ...READ_EXACTLY.flatMap(almost)] },
    body: `return fs.readFileSync(${JSON.stringify(name)}, "utf8");`,
    works: {
      grant: { read: READ_EXACTLY.map((exact) => `$CWD/${exact}`) },
      body: `return fs.readFileSync(${JSON.stringify(name)}, "utf8");`,
      answer: "named",
    },
  })),
  ...WRITTEN_EXACTLY.map((name) => ({
    name: `writing ${name} by patterns that almost name it`,
    files: { [`proj/${name}`]: "old" },
    grant: { write: ["$CWD/**", ...WRITTEN_EXACTLY.flatMap(almost)] },
    body: `fs.writeFileSync(${JSON.stringify(name)}, "new");`,
    works: {
      grant: { read: ["$CWD/**"], write: WRITTEN_EXACTLY.map((exact) => `$CWD/${exact}`) },
      body: `fs.writeFileSync(${JSON.stringify(name)}, "new"); return fs.readFileSync(${JSON.stringify(name)}, "utf8");`,
      answer: "new",
    },
  })),
];
