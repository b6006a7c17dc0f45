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
  ...[
    ".dev.vars",
    ".dev.vars.production",
    "terraform.tfvars",
    "prod.auto.tfvars",
    "x.tfvars.json",
    "local.settings.json",
  ],
  ...[".authinfo", ".authinfo.gpg", "kubeconfig", "kubeconfig.yaml", "prod.kubeconfig", "secring.gpg", "wallet.dat"],
  ...["key3.db", "key4.db", "logins.json", "cookies.sqlite", ".flaskenv", ".msmtprc", "wp-config.php", "a.pkcs8"],
  ...[".bitcoin", ".passwd-s3fs", ".smbcredentials"],
  ...["AuthKey_1.p8", "a.ovpn", "x.age", ".vault_pass", "vault_password.txt", "fish_history", ".zhistory", ".viminfo"],
  ...[
    ".lesshst",
    "secrets.properties",
    "keystore.properties",
    "x-firebase-adminsdk-y.json",
    "rclone.conf",
    ".rclone.conf",
  ],
  ...["pgpass.conf", ".snowsql", ".huggingface", ".wireguard", ".rediscli_history", ".irb_history"],
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
  ...["karma.conf.js", "wdio.conf.ts", "build.sbt", "build.xml", "mix.exs", "Package.swift", "Podfile", "SConstruct"],
  ...["SConscript", "binding.gyp", "x.gypi", "nodemon.json", "netlify.toml", "firebase.json", "vercel.json", "wscript"],
  ...[
    "wrangler.toml",
    "angular.json",
    "nx.json",
    "turbo.json",
    "lerna.json",
    ".stylelintrc.js",
    ".pnp.cjs",
    "build.zig",
  ],
  ...["pubspec.yaml", "rebar.config", "project.clj", "x.gemspec", "x.podspec", "Fastfile", "Dangerfile", "Guardfile"],
  ...[
    "Earthfile",
    "Tiltfile",
    "Snakefile",
    "Containerfile",
    "PKGBUILD",
    "Pipfile",
    "Pipfile.lock",
    "requirements-dev.txt",
  ],
  ...[
    "x.csproj",
    "Directory.Build.props",
    "x.gradle",
    "gradle.properties",
    "xmake.lua",
    "fabfile.py",
    "x.cabal",
    "bun.lock",
  ],
  ...["Gemfile.lock", "poetry.lock", "uv.lock", "composer.lock", "configure.ac", ".bazelrc", ".swcrc"],
  ...[".config/zsh", ".config/kitty", ".local/lib", ".local/share/applications", "gradle/wrapper"],
  ...[
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".xsessionrc",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".dir-locals.el",
    ".screenrc",
  ],
  ...[".psqlrc", ".sqliterc", ".mongoshrc.js", ".pythonrc.py", ".mkshrc", "Microsoft.PowerShell_profile.ps1"],
  ...[".hammerspoon", ".wezterm.lua", "x.code-workspace", ".npm-init.js", ".rspec", ".justfile", ".rubocop.yml"],
  ...[".iex.exs", ".formatter.exs", "conanfile.py", ".storybook", ".eleventy.js", ".ncurc.js", ".huskyrc", "x.bzl"],
  ...[
    "x.cmake",
    "CMakePresets.json",
    "vitest.workspace.ts",
    "gulpfile.esm.js",
    "cdk.json",
    "devbox.json",
    "devenv.nix",
  ],
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
  ".zproject",
  "profile.ps",
  "userprofile.ps1",
  "x.p8x",
  "vault",
  "history",
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

/** CI systems, each by all the names under which it looks for what to run. */
// biome-ignore format: a table
const CI: [system: string, names: string[]][] = [
  ["AppVeyor", ["appveyor.yml", ".appveyor.yml"]],
  ["AWS CodeBuild", ["buildspec.yml", "buildspec.yaml", "buildspec-release.yml"]],
  ["Azure Pipelines", ["azure-pipelines.yml", ".azure-pipelines.yml", "azure-pipelines-ci.yml", "azure-pipelines.release.yaml", ".azure-pipelines/x.yml"]],
  ["Bitbucket", ["bitbucket-pipelines.yml"]],
  ["Bitrise", ["bitrise.yml", ".bitrise.yml"]],
  ["Buildkite", [".buildkite/pipeline.yml", "buildkite.yml", ".buildkite.yaml"]],
  ["CircleCI", [".circleci/config.yml"]],
  ["Cirrus CI", [".cirrus.yml", ".cirrus.yaml", ".cirrus.star"]],
  ["Cloud Build", ["cloudbuild.yaml", "cloudbuild.yml", "cloudbuild.json", "cloudbuild-dev.yaml"]],
  ["Codefresh", ["codefresh.yml", ".codefresh/x.yml"]],
  ["Codemagic", ["codemagic.yaml"]],
  ["Drone", [".drone.yml", ".drone.star", ".drone.jsonnet"]],
  ["Forgejo, Gitea, GitHub", [".forgejo/workflows/x.yml", ".gitea/workflows/x.yml", ".github/workflows/x.yml"]],
  ["GitLab", [".gitlab-ci.yml", ".gitlab-ci-test.yaml", ".gitlab/ci/x.yml"]],
  ["Harness", [".harness/x.yaml"]],
  ["Jenkins", ["Jenkinsfile", "Jenkinsfile.release", "Jenkinsfile-x", ".jenkins/x"]],
  ["OneDev", [".onedev-buildspec.yml"]],
  ["Prow", [".prow.yaml", ".prow/x.yaml"]],
  ["Screwdriver", ["screwdriver.yaml"]],
  ["Semaphore", [".semaphore/semaphore.yml"]],
  ["SourceHut", [".build.yml", ".builds/x.yml"]],
  ["TeamCity", [".teamcity/settings.kts"]],
  ["Tekton", [".tekton/x.yaml"]],
  ["Travis CI", [".travis.yml"]],
  ["Vela", [".vela.yml", ".vela.star"]],
  ["Wercker", ["wercker.yml"]],
  ["Woodpecker", [".woodpecker.yml", ".woodpecker.yaml", ".woodpecker/x.yml"]],
];

/** Agents, each by its folder, and by files that it obeys. */
// biome-ignore format: a table
const AGENTS: [agent: string, names: string[]][] = [
  ["several", ["AGENTS.md", "AGENT.md", "AGENTS.override.md", ".agents/x", ".agent/x", "SKILL.md", ".rules", "mcp.json"]],
  ["Aider", [".aider.conf.yml", ".aiderignore", "CONVENTIONS.md"]],
  ["Augment", [".augment/x", ".augment-guidelines"]],
  ["Claude Code", [".claude/settings.json", "CLAUDE.md", "CLAUDE.local.md"]],
  ["Cline", [".clinerules", ".clinerules/x.md", ".clinerules-code", ".cline/x", ".clineignore"]],
  ["Codex", [".codex/config.toml"]],
  ["Copilot", [".copilot/x", "copilot-instructions.md", "x.instructions.md", "x.prompt.md", "x.chatmode.md"]],
  ["Crush", [".crush/x", "CRUSH.md", "crush.json", ".crush.json"]],
  ["Cursor", [".cursor/rules", ".cursorrules", ".cursorignore"]],
  ["Devin", [".devin/x"]],
  ["Gemini", [".gemini/x", "GEMINI.md", ".geminiignore"]],
  ["Goose", [".goose/x", ".goosehints"]],
  ["iFlow", [".iflow/x", "IFLOW.md"]],
  ["JetBrains", [".aiassistant/rules/x.md", ".junie/guidelines.md"]],
  ["Jules", [".jules/x"]],
  ["Kilo Code", [".kilocode/x", ".kilocodemodes", ".kilocoderules", ".kilo/x"]],
  ["Kiro", [".kiro/x"]],
  ["opencode", [".opencode/x", "opencode.json"]],
  ["OpenHands", [".openhands/setup.sh"]],
  ["Qwen", [".qwen/x", "QWEN.md"]],
  ["Replit", [".replit", "replit.md"]],
  ["Roo", [".roo/x", ".roorules", ".roorules-code", ".roomodes", ".rooignore"]],
  ["Rovo Dev", [".rovodev/x"]],
  ["Tabnine", [".tabnine/x"]],
  ["Warp", [".warp/x", "WARP.md"]],
  ["Windsurf", [".windsurf/x", ".windsurfrules", ".codeium/x"]],
];

test.each([...CI, ...AGENTS])("no wildcard for writing covers what %s obeys", (_name, names) => {
  expect(names.filter((one) => !isRefused(`/w/${one}`, "write"))).toEqual([]);
  expect(names.filter((one) => !isRefused(`/w/packages/x/${one}`, "write"))).toEqual([]);
  expect(names.filter((one) => isRefused(`/w/${one}`, "read"))).toEqual([]);
});

/** Names of a project's own files and folders that those of tools are part of. */
const ORDINARY = [
  ...["src/build/x.ts", "build/x.js", "builds.md", "docs/build.md", "src/rules/x.ts", "rules.md", "src/agent/x.ts"],
  ...[
    "src/agent.ts",
    "src/agents/x.ts",
    "agents.json",
    "claude/x.ts",
    "docs/cursor.md",
    "src/cursor.ts",
    "docs/goose.md",
  ],
  ...["src/cursor/x.ts", "docs/drone.md", "drone/x.ts", "src/harness/x.ts", "harness.ts", "docs/pi.md", "travis.md"],
  ...["src/github/x.ts", "config/github.yml", "github-links.yml", "config/gitlab.yml", "semaphore.ts", "src/tekton.go"],
  ...["build.ts", "src/podfile.ts", "src/package.ts", "mix.ex", "test/x_test.exs", "x.conf", "nginx.conf", "x.xml"],
  ...["src/conventions.ts", "firebase.ts", "src/nodemon.ts", "netlify/functions/x.ts", "gradle.ts", "requirements.md"],
  ...["src/kubeconfig.ts", "src/kubeconfig.go", "src/wallet.ts", "src/logins.ts", "tokens.json", "src/secring.c"],
  ...[
    "settings.json",
    "vars.tf",
    "src/tfvars.ts",
    "src/authinfo.ts",
    "key4.dbx",
    "wp-config.md",
    "pnp.ts",
    "poetry.md",
  ],
];

test("what is called like a tool, and is none of its files, is ordinary", () => {
  for (const right of ["read", "write"] as const)
    expect(ORDINARY.filter((one) => isRefused(`/w/${one}`, right))).toEqual([]);
});

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
