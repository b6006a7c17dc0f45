import { slashed } from "../disk/paths.ts";

/** What a grant may allow with files. */
export type FsRight = "read" | "write" | "watch";

/** Files that hold keys, tokens and passwords. */
const SECRETS: readonly RegExp[] = [
  /^\.env(rc)?([-_. \d].*)?$|\.env$/,
  /^\.(npm|pnpm|yarn|pypi)rc(\.ya?ml)?$/,
  /^[._]netrc(\..*)?$|^\.pgpass$|^\.my(login)?\.cnf$|^\.vault-token$|^\.(s3|docker|databricks)cfg$|^\.boto$/,
  /^\.git-credentials$/,
  /^\.(ssh|gnupg|aws|azure|kube|docker|gcloud|oci|aliyun|fly|railway|vercel|netlify|wrangler|password-store|terraform\.d)$/,
  // What Cordon keeps of sessions, and what browsers and systems keep for a person.
  /^\.(cordon|mozilla|thunderbird)$|^keyrings$|^keychains$|^google-chrome$|^bravesoftware$/,
  /^\.(kaggle|supabase|ethereum)$|^kwalletd$|^\.(bash|zsh|python|node_repl|psql|mysql|sqlite)_history$/,
  /^\.claude\.json$|^\.terraformrc$|^terraform\.rc$|^credentials\.tfrc\.json$|^\.sentryclirc$/,
  /^id_(rsa|dsa|ecdsa|ed25519)([-_.\d].*)?$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)$/,
  /^\.?(creds|credentials|secrets?)(\.(json|ya?ml|toml|ini|txt|db))?$/,
  /[._-](creds|credentials|secrets?)\.(json|ya?ml|toml|ini|txt|db)$|^client_secret.*\.json$/,
  /\.tfstate$/,
  /^service[-_]account.*\.json$/,
  /^\.dev\.vars(\..*)?$|\.tfvars(\.json)?$|^local\.settings\.json$|^\.flaskenv$|^wp-config\.php$/,
  /^\.authinfo(\..*)?$|^\.(msmtp|fetchmail|mbsync)rc$|^\.(passwd-s3fs|smbcredentials)$/,
  /^kubeconfig(\.(ya?ml|json|conf))?$|\.kubeconfig$|^secring\.gpg$|\.(pkcs8|pk8)$/,
  /^wallet\.dat$|^\.(bitcoin|electrum|monero)$|^key[34]\.db$|^logins\.json$|^cookies\.sqlite$/,
  /\.(p8|ovpn|age)$|^\.?vault[-_]pass(word)?(\.txt)?$|^fish_history$|^\.(zhistory|rediscli_history|irb_history|lesshst|viminfo)$/,
  /^secrets?\.properties$|^keystore\.properties$|-adminsdk-.*\.json$|^\.?rclone\.conf$|^pgpass\.conf$|^\.(snowsql|huggingface|wireguard)$/,
  /^\.?htpasswd$/,
  /^auth\.json$/,
];

const alternatives = (names: string): string => names.trim().split(/\s+/).join("|");

/** CI systems. Each looks for a folder `.NAME`, or for a file `NAME.yml` or `.NAME-x.yaml`: both are refused for all of them. */
const CI = alternatives(`
  appveyor azure-pipelines bitbucket-pipelines bitrise buildkite buildspec circleci cirrus cloudbuild codefresh codemagic
  codeship-services codeship-steps drone gitlab-ci harness jenkins onedev-buildspec prow screwdriver semaphore teamcity tekton
  travis vela wercker woodpecker`);

/** Agents. Each has a folder `.NAME`, or a file `.NAMErules` or the like. */
const AGENTS = alternatives(`
  agents? aiassistant amazonq amp antigravity augment claude cline codebuddy codeium codex cody continue copilot crush
  cursor devin factory firebender gemini goose iflow jules junie kilo kilocode kimi kiro lingma openclaw opencode openhands pi
  qoder qwen replit roo rovodev serena tabnine trae vibe warp windsurf zed`);

/** What agents obey, by its name before `.md`. Not each agent's: a text about a cursor is no order. */
const ORDERS = alternatives(
  "agents? claude conventions copilot-instructions crush gemini iflow qwen replit skill warp",
);

/** Files that something loads as code or obeys as orders. */
const CODE: readonly RegExp[] = [
  new RegExp(`^\\.(${CI})$|^\\.?(${CI})([-_.].*)?\\.(ya?ml|jsonnet|star)$`),
  new RegExp(`^\\.(${AGENTS})$|^\\.(${AGENTS})[-_]?(rules|hints|modes|guidelines|ignore)([-_.].*)?$`),
  new RegExp(`^(${ORDERS})(\\.local|\\.override)?\\.md$|\\.(instructions|prompt|chatmode)\\.md$`),
  /^\.(git|husky|vscode|idea|github|gitlab|gitea|forgejo|devcontainer|yarn)$/,
  /^jenkinsfile([-_.].*)?$|^\.builds?(\.ya?ml)?$|^cloudbuild([-_.].*)?\.json$|^\.aider|^\.rules$/,
  /^\.?lefthook(-local)?\.(ya?ml|toml|json)$|^\.?mise(\..*)?\.toml$|^\.tool-versions$/,
  /^\.git(modules|attributes|config)$/,
  /^package(-lock)?\.json$|^npm-shrinkwrap\.json$|^yarn\.lock$|^pnpm-lock\.yaml$|^\.pnpmfile\.cjs$|^\.pnp\..+$/,
  /^bun\.lockb?$|^(gemfile|poetry|uv|composer|pipfile)\.lock$|^pipfile$|^requirements([-_.].*)?\.(txt|in)$|^(nx|lerna|turbo|angular|nest-cli|nodemon)\.json$/,
  /^(netlify|wrangler)\.toml$|^(firebase|vercel)\.json$|^wrangler\.jsonc?$/,
  /^node_modules$/,
  /^(gnu)?makefile$|\.mk$|^(just|rake|gem|vagrant|proc|brew|pod|cap|cart|fast|danger|guard|earth|tilt|snake|thor|berks|jake|cake)file$|^taskfile(\..*)?\.ya?ml$|^(gulp|grunt)file\.[cm]?[jt]s$|^(docker|container)file(\..*)?$|^(docker-)?compose(\..*)?\.ya?ml$/,
  /^build\.xml$|^configure\.(ac|in)$|\.(sbt|gypi?|gemspec|podspec|cabal|gradle(\.kts)?)$|^mix\.exs$|^package\.swift$|^sconstruct$|^sconscript$|^wscript$/,
  /^pubspec\.yaml$|^rebar\.config$|^project\.clj$|^deps\.edn$|^build\.zig(\.zon)?$|^(xmake|premake\d)\.lua$|^fabfile\.py$|^pkgbuild$|^gradle\.properties$/,
  /\.(cs|fs|vb|vcx)proj$|^directory\.(build|packages)\.(props|targets)$|^nuget\.config$|^\.bazelrc$/,
  /^cmakelists\.txt$|^meson\.build$|^(flake|shell|default)\.nix$|^(build|workspace|module)\.bazel$/,
  /^(setup|conftest|noxfile|sitecustomize|usercustomize)\.py$|\.pth$|^pyproject\.toml$|^tox\.ini$|^\.pre-commit-config\.ya?ml$/,
  /^cargo\.toml$|^build\.rs$|^\.cargo$|^go\.(mod|work)$|^pom\.xml$/,
  /\.conf(ig)?\.[cm]?[jt]s$|^\.(eslint|prettier|babel|mocha|stylelint|commitlint|release|nyc|swc|postcss)rc(\..*)?$|^tsconfig.*\.json$|^deno\.jsonc?$|^bunfig\.toml$/,
  /^\.(bash|zsh|profile|zprofile|z?login|z?logout)\w*(\.d)?$|^\.(vim|emacs|tmux|inputrc).*$/,
  /\.fish$|^(.*[._-])?profile\.ps1$|^\.(ex|lvim|nvim|psql|sqlite|screen|python|xsession|mk?sh)rc(\.py)?$|^\.mongo(sh)?rc\.js$/,
  /^\.nvim\.lua$|^\.dir-locals(-2)?\.el$|^\.wezterm\.lua$|^\.(hammerspoon|storybook)$|\.code-workspace$|^\.npm-init\.js$/,
  /^\.(rspec|justfile|eleventy\.js)$|^\.rubocop\.ya?ml$|^\.(iex|formatter|credo)\.exs$|^conanfile\.(py|txt)$|^\.(ncu|husky|remark|cz)rc(\..*)?$/,
  /\.(bzl|cmake)$|^cmake(user)?presets\.json$|^vitest\.workspace\.[cm]?[jt]s$|^gulpfile\..+\.[cm]?[jt]s$|^cdk\.json$|^devbox\.json$|^devenv\.nix$/,
  /^\.?mcp\.json$|^\.?(opencode|crush)\.jsonc?$|^openclaw\.plugin\.json$/,
  /^\.devcontainer\.json$|^\.(lintstaged|pylint)rc(\..*)?$|^(pytest|setup)\.(ini|cfg)$|^(gradlew|mvnw)(\.(bat|cmd))?$/,
  /^\.(githooks|mise|oh-my-zsh|pyenv|rbenv|nvm|asdf)$|^\.overcommit\.ya?ml$|^composer\.json$|^pnpm-workspace\.ya?ml$/,
  /^\.(gdbinit|lldbinit|xprofile|xinitrc|xsession|cshrc|tcshrc|kshrc|pam_environment)$/,
  /^\.(curl|hg|irb|pdb|pry|wget)rc$|^\.(ghci|rprofile|renviron|lessfilter|ipython|jupyter|gradle|mvn|bundle)$/,
  /\.hook\.json$/,
  /^autostart$|^launchagents$|^systemd$|^cron.*$/,
];

/** One expression for all of these, none of which has flags or refers to a group. */
const anyOf = (rules: readonly RegExp[]): RegExp => new RegExp(rules.map(({ source }) => source).join("|"));
const REFUSED: Readonly<Record<FsRight, RegExp>> = {
  read: anyOf(SECRETS),
  watch: anyOf(SECRETS),
  write: anyOf([...SECRETS, ...CODE]),
};

/** Such files and folders whose name means this in one folder only, each as `FOLDER/NAME`. */
const SECRETS_IN = [
  ...["chromium", "microsoft-edge", "vivaldi", "configstore", "doctl", "gcloud", "gh", "github-copilot", "glab-cli"],
  ...["hcloud", "heroku", "hub", "netlify", "ngrok", "op", "rclone", "scw", "solana", "sops", "stripe"],
]
  .map((name) => `.config/${name}`)
  .concat("google/chrome", "application support/chromium", ".m2/settings.xml", ".m2/settings-security.xml");
const CODE_IN = [
  ...["alacritty", "autostart", "code", "direnv", "emacs", "environment.d", "fish", "ghostty", "git", "goose", "helix"],
  ...[
    "hypr",
    "i3",
    "kitty",
    "mise",
    "nushell",
    "nvim",
    "opencode",
    "pip",
    "sway",
    "tmux",
    "vim",
    "wezterm",
    "zed",
    "zsh",
  ],
]
  .map((name) => `.config/${name}`)
  .concat(".local/bin", ".local/lib", "share/applications", "gradle/wrapper");
const REFUSED_IN: Readonly<Record<FsRight, ReadonlySet<string>>> = {
  read: new Set(SECRETS_IN),
  watch: new Set(SECRETS_IN),
  write: new Set([...SECRETS_IN, ...CODE_IN]),
};

/** The first names of these: what lies in such a folder decides what it is. */
const ABOVE_REFUSED = new Set([...SECRETS_IN, ...CODE_IN].map((path) => path.split("/")[0]));

/** Whether a path names a folder in which names of {@link isRefused} begin: what is put in its place takes theirs. */
export const isAboveRefused = (path: string): boolean =>
  ABOVE_REFUSED.has(plainName(slashed(path).split("/").at(-1) ?? "").replace(COPY, ""));

/** Settings of a repository, or of one in it, can hold tokens, and the names of programs. */
const isOfGit = (parts: readonly string[]): boolean => {
  const git = parts.indexOf(".git");
  return git >= 0 && parts.slice(git + 1).some((part) => /^config(\.worktree)?$/.test(part));
};

/** What editors and people put behind the name of a copy. */
const COPY = /(?:~|\.(?:bak|backup|old|orig|save|sw[a-p]))+$/;

/** Most names: only their case changes below. */
const USUAL = /^[A-Za-z0-9._-]*[A-Za-z0-9_-]$/;

/** A name as every file system here would take it: folded, without what some of them drop. */
const plainName = (name: string): string =>
  USUAL.test(name)
    ? name.toLowerCase()
    : name
        .normalize("NFKC")
        .toLowerCase()
        // By way of upper case: what is ss to macOS becomes ss.
        .toUpperCase()
        .toLowerCase()
        .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
        .replace(/[. ]+$/, "");

/** True for a path that no wildcard covers: a part of it is a well-known path of secrets, or for writing of code. */
export function isRefused(path: string, right: FsRight): boolean {
  const parts = slashed(path)
    .split("/")
    .filter(Boolean)
    .map((part) => plainName(part).replace(COPY, ""));
  if (isOfGit(parts)) return true;
  return parts.some(
    (part, index) => REFUSED[right].test(part) || REFUSED_IN[right].has(`${part}/${parts[index + 1] ?? ""}`),
  );
}
