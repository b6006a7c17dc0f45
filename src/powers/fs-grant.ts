import { realpathSync } from "node:fs";
import picomatch from "picomatch";
import type { Static } from "typebox";
import Type from "../base/type.ts";
import { type Algebra, list, record } from "./algebra.ts";
import { extensionFolder } from "./fs-extension-folder.ts";
import { includes } from "./fs-globs.ts";
import { firstFault, type Power } from "./power.ts";

const patterns = (what: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
    maxItems: 200,
    description: `Files it may ${what}: paths and globs that start with $CWD, $HOME, $TMP or /.`,
  });

const fsGrant = Type.Object(
  {
    read: Type.Optional(patterns("read")),
    write: Type.Optional(patterns("write, create and delete")),
    watch: Type.Optional(patterns("watch for changes")),
  },
  { additionalProperties: false, description: "Files that it may read, write and watch." },
);
export type FsGrant = Static<typeof fsGrant>;
export type FsRight = keyof FsGrant;

/** What {@link faultOfPattern} accepts, as JSON Schema: where it starts, no `.` and `..`, and how many wildcards. */
export const publishedPattern = {
  pattern: [
    "^(?!(.*/)?\\.\\.?(/|$))",
    "(?!(.*\\*\\*){3})",
    "(?!([^*]*\\*+(?!\\*)){9})",
    "(?!(.*/)?([^/*]*\\*){3})",
    "((\\$CWD|\\$HOME|\\$TMP)(/|$)|/|[A-Za-z]:/)",
  ].join(""),
};

export const fsPower: Power<typeof fsGrant> = {
  schema: fsGrant,
  fault: (grant) => firstFault(Object.values(grant).flat(), faultOfPattern),
  published: {
    properties: Object.fromEntries(["read", "write", "watch"].map((right) => [right, { items: publishedPattern }])),
  },
  ...record<FsGrant>({ read: filesOf("read"), write: filesOf("write"), watch: filesOf("watch") }),
};

function filesOf(right: FsRight): Algebra<string[]> {
  return list({ covers: (wide, narrow) => coversPattern(wide, narrow, right) });
}

/**
 * True only if `wide` means every file that `narrow` means, in any session: of the folders that patterns start with
 * nothing is known here but that they lie below `/`, and that no part of their names is a well-known path of secrets.
 */
export function coversPattern(wide: string, narrow: string, right: FsRight): boolean {
  if (wide === narrow) return true;
  const [outer, inner] = [partsOf(wide), partsOf(narrow)];
  // A path is the same only as itself.
  if (!GLOB.test(outer.rest)) return false;
  if (!GLOB.test(inner.rest) && isRefused(inner.rest, right)) return false;
  const own = GLOB.test(inner.rest) ? extensionFolder(inner.rest)?.folder : undefined;
  if (own !== undefined && extensionFolder(outer.rest)?.folder !== own) return false;
  if (outer.root === inner.root) return inner.rest === "" ? outer.rest === "**" : includes(outer.rest, inner.rest);
  return outer.root === "/" && inner.root.startsWith("$") && includes(outer.rest, joined("**", inner.rest));
}

const joined = (...parts: string[]): string => parts.filter(Boolean).join("/");

/** Whether a grant gives a right over a real path. */
export type May = (right: FsRight, real: string) => boolean;

/** Characters that make a pattern more than the name of one file. */
const GLOB = /[*?[\]]/;
const ROOT = /^(\$CWD|\$HOME|\$TMP)(?=\/|$)/;

/** What is wrong with a pattern, if anything. */
export function faultOfPattern(pattern: string): string | undefined {
  if (!ROOT.test(pattern) && !pattern.startsWith("/") && !/^[A-Za-z]:\//.test(pattern))
    return `${pattern}: a file pattern starts with $CWD, $HOME, $TMP or /`;
  if (pattern.split("/").some((part) => part === ".." || part === "."))
    return `${pattern}: no . or .. in a file pattern`;
  if (pattern.split("**").length > 3) return `${pattern}: ** at most twice in a file pattern`;
  if ((pattern.match(/\*+/g)?.length ?? 0) > 8 || pattern.split("/").some((part) => part.split("*").length > 3))
    return `${pattern}: too many wildcards in a file pattern`;
  return undefined;
}

/** As far as it is there. */
export function realFolder(folder: string): string {
  try {
    return slashed(realpathSync(folder));
  } catch {
    return slashed(folder);
  }
}

export const slashed = (path: string): string => (process.platform === "win32" ? path.replaceAll("\\", "/") : path);

/** On these file systems two spellings are one file. */
const FOLDED = process.platform === "darwin" || process.platform === "win32";
const folded = (text: string): string => (FOLDED ? text.normalize("NFC").toLowerCase() : text);

/**
 * True if a real path is one that the patterns mean. Names that lead to secrets or to code must be named exactly, but for what
 * is in an extension's own folder that a pattern names.
 *
 * @param exactly so must this one; `always`: wherever it lies
 */
export function permits(
  granted: readonly string[],
  right: FsRight,
  path: string,
  roots: Readonly<Record<string, string>>,
  exactly: boolean | "always" = false,
): boolean {
  let exact: boolean | undefined;
  // Few patterns mean the path, and it is looked at for those alone.
  const isExact = (): boolean => {
    exact ??= exactly !== false || isRefused(path, right);
    return exact;
  };
  const shown = folded(path);
  return granted.some((pattern) => {
    const { root, rest } = split(pattern, roots);
    const whole = folded(root);
    if (rest === "") return shown === whole;
    const below = whole.endsWith("/") ? whole : `${whole}/`;
    const name = shown.slice(below.length);
    // `$CWD/**` means the folder itself, too.
    const isMeant = shown === whole ? rest === "**" : shown.startsWith(below) && matcher(folded(rest))(name);
    if (!isMeant || !isExact()) return isMeant;
    return exactly !== "always" && isInExtensionFolder(name, folded(rest), right);
  });
}

/** What a pattern starts with, and what follows. */
function partsOf(pattern: string): { root: string; rest: string } {
  const root = (ROOT.exec(pattern) ?? /^[A-Za-z]:(?=\/)/.exec(pattern))?.[0];
  return { root: root ?? "/", rest: pattern.slice((root?.length ?? 0) + 1) };
}

/** The folder that a pattern is below, as it is now, and what is to be matched there. */
function split(pattern: string, roots: Readonly<Record<string, string>>): { root: string; rest: string } {
  const { root: named, rest } = partsOf(pattern);
  const root = named.startsWith("$") ? (roots[named] as string) : named;
  if (GLOB.test(rest)) return { root, rest };
  return { root: root === "/" ? `/${rest}` : rest === "" ? root : `${root}/${rest}`, rest: "" };
}

/** The pattern names a folder of an extension's own, and the path below it leads to no secret and no other code. */
function isInExtensionFolder(path: string, rest: string, right: FsRight): boolean {
  const named = extensionFolder(rest);
  if (!named || !path.startsWith(named.folder) || isRefused(named.before, right)) return false;
  return !isRefused(path.slice(named.folder.length), right);
}

const matchers = new Map<string, (path: string) => boolean>();

function matcher(rest: string): (path: string) => boolean {
  let known = matchers.get(rest);
  if (!known) {
    // Parentheses and their like are parts of names here, and no expressions.
    known = picomatch(rest.replace(/[(){}|+@!^$\\"]/g, "\\$&"), {
      dot: true,
      nobrace: true,
      noextglob: true,
      nonegate: true,
      strictSlashes: false,
      // A name may hold a newline.
      flags: "s",
    });
    matchers.set(rest, known);
  }
  return known;
}

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
  /^\.?htpasswd$/,
  /^auth\.json$/,
];

/** Files that something loads as code or obeys as orders. */
const CODE: readonly RegExp[] = [
  /^\.(git|pi|husky|vscode|idea|zed|github|gitlab|gitea|forgejo|circleci|buildkite|woodpecker|devcontainer|yarn)$/,
  /^\.(agents?|claude|cline|clinerules|codeium|codex|copilot|cursor|factory|gemini|goose|kiro|openclaw|opencode|qwen|windsurf)$/,
  /^\.(amazonq|amp|augment|continue|crush|junie|kilocode|roo|trae)$/,
  /^\.gitlab-ci\.ya?ml$|^\.travis\.ya?ml$|^azure-pipelines\.ya?ml$|^jenkinsfile$|^bitbucket-pipelines\.ya?ml$/,
  /^\.drone\.ya?ml$|^\.?lefthook(-local)?\.(ya?ml|toml|json)$|^\.?mise(\..*)?\.toml$|^\.tool-versions$/,
  /^\.git(modules|attributes|config)$/,
  /^package(-lock)?\.json$|^npm-shrinkwrap\.json$|^yarn\.lock$|^pnpm-lock\.yaml$|^\.pnpmfile\.cjs$/,
  /^node_modules$/,
  /^(gnu)?makefile$|\.mk$|^(just|rake|gem|vagrant|proc|brew)file$|^taskfile(\..*)?\.ya?ml$|^(gulp|grunt)file\.[cm]?[jt]s$|^dockerfile(\..*)?$|^(docker-)?compose(\..*)?\.ya?ml$/,
  /^cmakelists\.txt$|^meson\.build$|^(flake|shell|default)\.nix$|^(build|workspace|module)\.bazel$/,
  /^(setup|conftest|noxfile|sitecustomize|usercustomize)\.py$|\.pth$|^pyproject\.toml$|^tox\.ini$|^\.pre-commit-config\.ya?ml$/,
  /^cargo\.toml$|^build\.rs$|^\.cargo$|^go\.(mod|work)$|^build\.gradle(\.kts)?$|^pom\.xml$/,
  /\.config\.[cm]?[jt]s$|^\.(eslint|prettier|babel|mocha)rc(\..*)?$|^tsconfig.*\.json$|^deno\.jsonc?$|^bunfig\.toml$/,
  /^\.(bash|zsh|profile|login|logout)[\w]*$|^\.(vim|emacs|tmux|inputrc).*$/,
  /\.fish$/,
  /^(agents|claude|gemini|qwen|skill)(\.local|\.override)?\.md$|^\.(cursor|windsurf|roo)rules$|^\.goosehints$|^\.aider/,
  /^\.?mcp\.json$|^opencode\.jsonc?$|^openclaw\.plugin\.json$/,
  /^\.devcontainer\.json$|^\.(lintstaged|pylint)rc(\..*)?$|^(pytest|setup)\.(ini|cfg)$|^settings\.gradle(\.kts)?$|^(gradlew|mvnw)(\.(bat|cmd))?$/,
  /^\.(githooks|mise|oh-my-zsh|pyenv|rbenv|nvm|asdf)$|^\.overcommit\.ya?ml$|^composer\.json$|^pnpm-workspace\.ya?ml$/,
  /^\.(gdbinit|lldbinit|xprofile|xinitrc|xsession|cshrc|tcshrc|kshrc)$/,
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
  ...["autostart", "code", "environment.d", "hypr", "i3", "mise", "nvim", "sway", "tmux"].map(
    (name) => `.config/${name}`,
  ),
  ".config/git",
  ".config/fish",
  ".config/goose",
  ".config/opencode",
  ".config/zed",
  ".local/bin",
];
const REFUSED_IN: Readonly<Record<FsRight, ReadonlySet<string>>> = {
  read: new Set(SECRETS_IN),
  watch: new Set(SECRETS_IN),
  write: new Set([...SECRETS_IN, ...CODE_IN]),
};

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
