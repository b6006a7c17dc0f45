import fc from "fast-check";
import { expect, test } from "vitest";
import { planOfInstall } from "../../src/agents/setup/install.ts";
import { SETUPS } from "../../src/agents/setup/setups.ts";
import { permits } from "../../src/powers/fs-grant.ts";
import { isRefused } from "../../src/powers/fs-refused-names.ts";

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
  ...[".env~", ".env-prod", ".env_local", ".env2", "prod.env", "id_rsa~", "id_rsa-work", ".netrc.bak", ".pgpass"],
  ...["credentials.json.old", ".credentials.json", "oauth_creds.json", "client_secret_1.json", "app-secrets.yaml"],
  ...[".my.cnf", ".mylogin.cnf", ".vault-token", ".s3cfg", ".boto", "terraform.tfstate", "terraform.tfstate.backup"],
  ...[".config/gh", ".config/gcloud", ".config/op", ".git/config", ".git/modules/x/config", ".git/config.worktree"],
  ...[".env copy", ".netrc.gpg", ".terraform.d", ".terraformrc", "credentials.tfrc.json", ".claude.json", ".cordon"],
  ...[
    "keyrings",
    "Keychains",
    ".mozilla",
    "google-chrome",
    ".m2/settings.xml",
    ".config/rclone",
    ".config/github-copilot",
  ],
  ...[
    ".fly",
    "Google/Chrome",
    ".config/chromium",
    ".vercel",
    ".sentryclirc",
    ".kaggle",
    ".bash_history",
    ".config/sops",
    ".config/solana",
    "kwalletd",
    ".config/configstore",
  ],
];
const CODE = [
  ...[".git", ".gitlab-ci.yml", "jenkinsfile", ".gitmodules", "package.json", "yarn.lock", "node_modules"],
  ...["makefile", "gnumakefile", "a.mk", "compose.dev.yaml", "setup.py", "pyproject.toml", "cargo.toml", "go.mod"],
  ...["pom.xml", "vite.config.mts", ".eslintrc", "tsconfig.build.json", ".bashrc", ".vimrc", "agents.md"],
  ...["a.hook.json", "cron.daily", "launchagents"],
  ...[
    ".zed",
    ".agents",
    ".codex",
    ".opencode",
    ".clinerules",
    ".windsurf",
    ".gitconfig",
    "config.fish",
    "makefile.orig",
  ],
  ...["gemini.md", "claude.local.md", "skill.md", ".cursorrules", ".goosehints", ".aider.conf.yml", ".mcp.json"],
  ...["mcp.json", "opencode.jsonc", ".config/git", ".config/opencode", ".local/bin"],
  ...["lefthook.yml", ".lefthook-local.yml", "mise.toml", ".mise.local.toml", "gulpfile.js", "Gruntfile.cjs", ".yarn"],
  ...[
    ".forgejo",
    ".gitea",
    ".drone.yml",
    ".amp",
    ".continue",
    ".roo",
    "a.pth",
    "CMakeLists.txt",
    "flake.nix",
    "WORKSPACE.bazel",
  ],
  ...[
    "Vagrantfile",
    "Procfile",
    "Brewfile",
    "openclaw.plugin.json",
    ".devcontainer.json",
    "setup.cfg",
    "gradlew",
    ".githooks",
    "composer.json",
    ".gdbinit",
    ".xprofile",
    ".config/nvim",
    ".config/environment.d",
    ".config/Code",
    "Taskfile.dist.yml",
    "noxfile.py",
    "BUILD.bazel",
    ".tool-versions",
  ],
  ...[
    ".bashrc.d",
    ".zshrc.d",
    ".profile.d",
    ".curlrc",
    ".wgetrc",
    ".hgrc",
    ".irbrc",
    ".ghci",
    ".Rprofile",
    ".lessfilter",
  ],
  ...[".pam_environment", ".ipython", ".gradle", ".mvn", ".bundle", ".config/pip", ".config/direnv", ".config/nushell"],
  ...[".config/zsh", ".config/kitty", ".local/lib", ".local/share/applications", "gradle/wrapper"],
];
/** Names that a rule would refuse without its start or its end. */
const OTHERS = [
  ".environment",
  ".envy",
  "xid_rsa",
  "id_rsax",
  "use-credentials.ts",
  "user-credentials",
  "config/gh",
  ".config/other",
  "local/bin",
  "x~y",
  "a.pem.txt",
  "mycredentials",
  "author.json",
  "package.json5",
  "build",
  "workspace",
  "chrome",
  ".gitx/config",
  "git/config",
  "bashrc",
  ".bashrc.dd",
  "curlrc",
  "gradle",
  "gradle/libs",
  "applications",
  "local/lib",
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

/** Whoever writes there takes Cordon out of an agent. */
test("no wildcard for writing covers a file in which an agent has Cordon, or its hooks", () => {
  const home = "/home/person";
  const roots = { $HOME: home, $CWD: `${home}/work` };
  const written = SETUPS.flatMap((setup) =>
    [false, true].flatMap((project) => {
      if (project && setup.project === undefined) return [];
      const places = { user: home, env: {} };
      const place = { setup, home: `${home}/.cordon`, places, project: project ? `${home}/work` : undefined };
      return planOfInstall(place).map(({ file }) => file);
    }),
  );
  expect(written.length).toBeGreaterThan(14);
  expect(written.filter((file) => permits(["$HOME/**", "$CWD/**"], "write", file, roots))).toEqual([]);
});
