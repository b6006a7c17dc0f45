import fc from "fast-check";
import { expect, test } from "vitest";
import { isRefused } from "../../src/powers/fs-grant.ts";

/** What names of secrets and of code are made of, and of others that nearly are. */
const PIECES = [
  ".env",
  ".git",
  "id_rsa",
  ".pem",
  "KEY",
  "config",
  "auth.json",
  "package",
  "Make",
  "file",
  "x",
  "_",
  "-",
  "1",
];

const name = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));

test("a name of plain letters is judged like the same name with a dot at its end, which some file systems drop", () => {
  const seen = { true: 0, false: 0 };
  const judged = fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
    for (const right of ["read", "write", "watch"] as const) {
      const refused = isRefused(`/w/${names.join("/")}`, right);
      seen[`${refused}`]++;
      expect(isRefused(`/w/${names.map((one) => `${one}.`).join("/")}`, right)).toBe(refused);
      expect(isRefused(`/w/${names.join("/").toUpperCase()}`, right)).toBe(refused);
    }
  });
  fc.assert(judged, { numRuns: 1000 });
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(300);
});

/** Each of the rules, by a name that only it refuses. */
const SECRETS = [
  ...[
    ".env",
    ".env.local",
    ".envrc",
    ".npmrc",
    ".pnpmrc.yaml",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".ssh",
    ".kube",
  ],
  ...["id_rsa", "id_ed25519_sk.pub", "a.pem", "a.keystore", "credentials", "secrets.toml", "service-account-1.json"],
  ...["htpasswd", ".htpasswd", "auth.json"],
];
const CODE = [
  ...[".git", ".cordon", ".gitlab-ci.yml", "jenkinsfile", ".gitmodules", "package.json", "yarn.lock", "node_modules"],
  ...["makefile", "gnumakefile", "a.mk", "compose.dev.yaml", "setup.py", "pyproject.toml", "cargo.toml", "go.mod"],
  ...["pom.xml", "vite.config.mts", ".eslintrc", "tsconfig.build.json", ".bashrc", ".vimrc", "agents.md"],
  ...["a.hook.json", "cron.daily", "launchagents"],
];
/** Names that a rule would refuse without its start or its end. */
const OTHERS = [
  "a.env",
  ".environment",
  "xid_rsa",
  "a.pem.txt",
  "mycredentials",
  "author.json",
  "package.json5",
  "bashrc",
];

test.each([
  ["read", SECRETS, [...CODE, ...OTHERS]],
  ["watch", SECRETS, [...CODE, ...OTHERS]],
  ["write", [...SECRETS, ...CODE], OTHERS],
] as const)(
  "no wildcard covers to %s what may hold secrets, or for writing what is obeyed",
  (right, refused, others) => {
    expect(refused.filter((one) => !isRefused(`/w/${one}/a`, right))).toEqual([]);
    expect(others.filter((one) => isRefused(`/w/${one}/a`, right))).toEqual([]);
  },
);
