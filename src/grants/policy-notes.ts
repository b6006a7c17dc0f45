import { warningOf } from "../powers/exec-grant.ts";
import { judgedSource } from "./judged-source.ts";
import { fits, fitsSource, type Policy } from "./policy.ts";
import { type Capabilities, powerFaults, powersOf } from "./schema.ts";

/** An installed hook, as far as a policy looks at it. */
export interface InstalledHook {
  readonly source: string;
  readonly publisher?: string | undefined;
}

/** How the source of an installed hook begins. */
const KINDS = ["npm:", "git:", "path:", "http://", "https://"];

/** Sources of each kind. What lets all of them pass limits nothing. */
const SAMPLES = [
  "npm:a",
  "npm:@a/b",
  "git:github:a/b",
  "path:/a/b",
  "http://a.example/b.tgz",
  "https://a.example/b.tgz",
];

/** Where a policy, which is valid, has no effect, or not the one that its author may think. */
export function policyNotes(policy: Policy, installed: readonly InstalledHook[]): string[] {
  const { maximum = {}, required = [] } = policy;
  const twice = required.filter((id, at) => required.indexOf(id) < at);
  return [
    ...sourceNotes(policy, installed),
    ...publisherNotes(policy, installed),
    ...negationNotes("sources", policy.sources),
    ...negationNotes("publishers", policy.publishers),
    ...maximumNotes(maximum),
    ...twice.map((id) => `required: ${id} is named twice`),
    ...required.filter(isNoId).map((id) => `required: no hook is called ${id}: an id has no version, and no npm:`),
  ];
}

/** How the source of a repository begins, as it is judged. */
const REPOSITORIES = [
  ...["github", "gist", "gitlab", "bitbucket", "sourcehut"].map((host) => `git:${host}:`),
  ...["git+https", "git+http", "git+ssh", "ssh", "git", "git+file"].map((scheme) => `git:${scheme}://`),
];

const isOf = (beginnings: readonly string[], start: string): boolean =>
  beginnings.some((one) => one.startsWith(start) || start.startsWith(one));

const isNoId = (id: string): boolean => /^(npm|git|path|https?):|[^/]@/.test(id) && !/^[\\/.]|^[a-z]:[\\/]/i.test(id);

const isUnclosed = (glob: string): boolean => /\{[^}]*$|\[[^\]]*$|\([^)]*$|\s/.test(glob);

function sourceNotes({ sources = [], publishers, provenance }: Policy, installed: readonly InstalledHook[]): string[] {
  // Only a registry says who published a package, and only its packages are signed.
  const needsRegistry = publishers ? "publishers" : provenance ? "provenance" : undefined;
  return sources.flatMap((glob, at) => {
    const where = `sources.${at}: ${glob}`;
    const kinds = KINDS.filter((kind) => isOf([kind], fixed(glob)));
    if (kinds.length === 0)
      return [`${where} can match nothing: a source begins with ${KINDS.join(", ")}, as in npm:@acme/*`];
    const start = fixed(bodyOf(glob));
    if (start.startsWith("git:") && !isOf(REPOSITORIES, start))
      return [
        `${where} can match nothing: a repository is judged as git:github:OWNER/NAME, or by an address as git:git+https://HOST/PATH`,
      ];
    if (isUnclosed(glob)) return [`${where} has a space, or a bracket that is not closed: it matches that text alone`];
    if (judgedSource(bodyOf(glob)) !== bodyOf(glob) && !/[*?[{(\\]/.test(glob))
      return [`${where} can match nothing: a source is judged as ${judgedSource(bodyOf(glob))}`];
    if (needsRegistry !== undefined && !kinds.includes("npm:"))
      return [`${where} can match nothing: ${needsRegistry} leaves packages of a registry (npm:) alone`];
    if (!isNegated(glob) && SAMPLES.every((source) => fitsSource([glob], source)))
      return [`${where} allows any source, and so limits nothing`];
    // The name of a server that a person wrote may stand in the path of another one.
    if (!isNegated(glob) && /:\/\/[^/]*\*[^/]/.test(glob))
      return [`${where} also fits other servers: a * takes a /, too; write each host out`];
    return installed.some(({ source }) => fitsSource([glob], source))
      ? []
      : [`${where} matches no hook that is installed here`];
  });
}

const bodyOf = (glob: string): string => (isNegated(glob) ? glob.slice(1) : glob);

/** The beginning of a glob that stands for itself. */
function fixed(glob: string): string {
  const end = glob.search(/[*?[{(\\]|^!/);
  if (end < 0) return glob;
  return glob[end] === "(" ? glob.slice(0, end).replace(/[@+!]$/, "") : glob.slice(0, end);
}

const publisherNotes = ({ publishers = [] }: Policy, installed: readonly InstalledHook[]): string[] =>
  publishers.flatMap((glob, at) =>
    installed.some(({ publisher }) => publisher !== undefined && fits([glob], publisher))
      ? []
      : [`publishers.${at}: ${glob} matches the publisher of no hook that is installed here`],
  );

const isNegated = (glob: string): boolean => /^!(?!\()/.test(glob);

/** One entry that fits is enough, and nearly everything fits one with `!`. */
const negationNotes = (key: string, globs: readonly string[] = []): string[] =>
  globs.flatMap((glob, at) =>
    globs.length > 1 && isNegated(glob)
      ? [
          `${key}.${at}: ${glob} allows all but that, whatever stands beside it: let it stand alone, as in !npm:{a,@b/c}`,
        ]
      : [],
  );

/** Powers whose names stand for themselves alone. */
const LITERAL = ["model", "calls", "agents", "providers", "bus"] as const;

function maximumNotes(maximum: NonNullable<Policy["maximum"]>): string[] {
  const { events, exec = [], ...others } = maximum;
  // In a grant it is no name. Here it leaves all of them.
  const env = others.env?.filter((name) => name !== "*");
  const literal = LITERAL.filter((power) => JSON.stringify(others[power] ?? "").includes('*"'));
  return [
    ...(events ? ["maximum.events: it has no effect, since a policy does not limit events"] : []),
    ...exec.flatMap((entry, at) => noted(`maximum.exec.${at}`, warningOf(entry))),
    ...powerFaults({ ...others, ...(env ? { env } : {}) }).map(
      ({ power, fault }) => `maximum.${power}: no grant fits it: ${fault}`,
    ),
    ...literal.map((power) => `maximum.${power}: * is a name like any other here; write out the names that may stay`),
    ...Object.entries(maximum).flatMap(([power, value]) => [
      ...(power !== "events" && powersOf.covers({}, { [power]: value })
        ? [`maximum.${power}: it leaves nothing, as if it were left out`]
        : []),
      ...(power === "events" ? [] : idleParts(power, value)),
    ]),
  ];
}

const noted = (where: string, text: string | undefined): string[] => (text === undefined ? [] : [`${where}: ${text}`]);

/** Entries of the lists of a power that others cover. */
function idleParts(power: string, value: unknown): string[] {
  const lists: readonly (readonly [name: string, list: unknown, inside: (list: unknown[]) => unknown])[] =
    Array.isArray(value)
      ? [["", value, (list) => list]]
      : Object.entries(value as object).map(([name, list]) => [
          `.${name}`,
          list,
          (left) => ({ ...(value as object), [name]: left }),
        ]);
  return lists.flatMap(([name, list, inside]) => {
    if (!Array.isArray(list)) return [];
    const left = new Map<number, unknown>(list.entries());
    for (const at of [...left.keys()].reverse()) {
      const others = [...left].flatMap(([one, entry]) => (one === at ? [] : [entry]));
      const without = { [power]: inside(others) } as Capabilities;
      if (powersOf.covers(without, { [power]: value } as Capabilities)) left.delete(at);
    }
    return [...list.keys()]
      .filter((at) => !left.has(at))
      .map((at) => `maximum.${power}${name}.${at}: other entries allow all of ${JSON.stringify(list[at])}`);
  });
}
