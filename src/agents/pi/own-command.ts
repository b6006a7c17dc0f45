import { readJson } from "../../../sandbox/wire/read-json.ts";
import { attemptOr } from "../../base/attempt.ts";
import { CordonError, messageOf } from "../../base/errors.ts";
import { nearNames } from "../../base/near-names.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { readPolicies, requiredHooks } from "../../grants/policy.ts";
import { shownPowers } from "../../grants/shown-power.ts";
import type { HookHost } from "../../host/host.ts";
import type { HookInfo } from "../../session/hook-info.ts";
import { remediesFor, whyLines } from "../../session/why.ts";
import type { PiCommand, PiContext } from "./pi-api.ts";
import { noticeRows } from "./rows.ts";
import type { SessionRecord } from "./session-record.ts";

/** Longest answer: what hooks may do fits. */
const MAX_SAID = 20_000;

/** What the subcommands of `/cordon` work on. */
interface Inside {
  host: HookHost;
  record: SessionRecord;
  context: PiContext;
}

type Subcommand = (inside: Inside, words: string) => string | Promise<string>;

const SUBCOMMANDS: ReadonlyMap<string, Subcommand> = new Map<string, Subcommand>([
  ["list", ({ host }) => host.hooks.map(line).join("\n") || "no hook is active here; run: cordon add SPEC"],
  [
    "grants",
    ({ host }, words) =>
      hooksOf(host, words)
        .map((hook) => grants(host, hook))
        .join("\n"),
  ],
  ["grant", grant],
  ["revoke", revoke],
  ["restart", restart],
  ["disable", disable],
  ["enable", enable],
  ["audit", ({ record }) => record.lines.join("\n") || "no hook has done anything yet"],
  ["why", why],
]);

/**
 * `/cordon list | grants [HOOK] | grant HOOK POWER [JSON] | revoke HOOK [POWER] | restart HOOK | disable HOOK | enable HOOK | audit | why`. Without a
 * person nothing can be granted. `place`: where the answers are shown.
 */
export function ownCommand(
  inside: () => Omit<Inside, "context">,
  place: { readonly columns?: number | undefined },
): PiCommand {
  return {
    description: `Cordon's hooks: ${[...SUBCOMMANDS.keys()].join(", ")}`,
    async getArgumentCompletions(prefix) {
      const fitting = [...SUBCOMMANDS.keys()].filter((name) => name.startsWith(prefix));
      return fitting.length > 0 ? fitting.map((value) => ({ value, label: value })) : null;
    },
    async handler(args, context) {
      const [name = "list", words = ""] = split(args);
      const run = SUBCOMMANDS.get(name);
      const say = (said: string, type: "info" | "error"): void => {
        const text = cleanText(said, MAX_SAID);
        if (context.hasUI) context.ui.notify(noticeRows(place, text), type);
        else process.stderr.write(`${text}\n`);
      };
      try {
        if (!run) throw new CordonError("BAD_GRANT", `/cordon takes ${[...SUBCOMMANDS.keys()].join(", ")}`);
        say(await run({ ...inside(), context }, words), "info");
      } catch (error) {
        say(`cordon: ${messageOf(error)}`, "error");
      }
    },
  };
}

/** The first word, and the rest. */
function split(words: string): string[] {
  return words
    .trim()
    .split(/\s+(.*)/s)
    .filter(Boolean);
}

const line = ({ id, state, events, reason, disabled }: HookInfo): string =>
  `${id}: ${disabled ? "disabled" : state}${reason === undefined ? "" : `: ${reason}`}; hears ${events.join(", ") || "nothing"}`;

const grants = (host: HookHost, { id }: HookInfo): string =>
  `${id}: ${
    shownPowers(host.grants.asShown(id))
      .map(({ power, text }) => `${power} ${text}`)
      .join("; ") || "nothing"
  }`;

/** The hook that a person names by its id, the end of its path, or its file's name. */
function hookNamed(host: HookHost, name: string | undefined): HookInfo {
  if (name === undefined) throw new CordonError("BAD_GRANT", "say which hook");
  const fits = (id: string): boolean => id === name || id.endsWith(`/${name}`) || id.endsWith(`/${name}.ts`);
  const [only, ...more] = host.hooks.filter(({ id }) => fits(id));
  if (only && more.length === 0) return only;
  const meant = only
    ? [only, ...more].map(({ id }) => id)
    : nearNames(
        name,
        host.hooks.map(({ id }) => id),
      );
  const hint = meant.length > 0 ? `: ${meant.join(" or ")}?` : "";
  throw new CordonError("BAD_GRANT", only ? `${name} names several hooks${hint}` : `no hook is called ${name}${hint}`);
}

const hooksOf = (host: HookHost, words: string): readonly HookInfo[] =>
  words === "" ? host.hooks : [hookNamed(host, words)];

const LASTS = { session: " for this session", always: "" } as const;

async function grant({ host }: Inside, words: string): Promise<string> {
  const [name, rest = ""] = split(words);
  const [power, value] = split(rest);
  const { id } = hookNamed(host, name);
  if (power === undefined) throw new CordonError("BAD_GRANT", "say which power");
  const answer = await host.grant(id, power, value === undefined ? undefined : json(value));
  return answer === "deny" ? "nothing was changed" : `granted ${power} to ${id}${LASTS[answer]}`;
}

function json(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    throw new CordonError("BAD_GRANT", `${text} is not JSON`);
  }
}

async function revoke({ host }: Inside, words: string): Promise<string> {
  const [name, power] = split(words);
  const { id } = hookNamed(host, name);
  await host.revoke(id, power);
  return `revoked ${power ?? "all powers"} from ${id}; what makes it a guard stays`;
}

async function disable({ host }: Inside, words: string): Promise<string> {
  const { id } = hookNamed(host, words === "" ? undefined : words);
  return (await host.disable(id)) ? `${id} is left out of this session` : "nothing was changed";
}

async function enable({ host }: Inside, words: string): Promise<string> {
  const { id } = hookNamed(host, words === "" ? undefined : words);
  await host.enable(id);
  return line(hookNamed(host, id));
}

async function restart({ host }: Inside, words: string): Promise<string> {
  const { id } = hookNamed(host, words === "" ? undefined : words);
  await host.reload(id);
  return line(hookNamed(host, id));
}

function why({ host, record }: Inside): string {
  const down = host.hooks.filter(({ state }) => !["active", "changed", "pending"].includes(state)).map(line);
  const { lastBlock } = record;
  const kept = host.lastBlock;
  const isFine = host.hooks.some(({ id, state }) => id === kept?.hook && (state === "active" || state === "changed"));
  const isRequired = attemptOr<string[], string[]>(() => requiredHooks(readPolicies()), []).includes(kept?.hook ?? "");
  const last =
    kept && lastBlock?.reason.includes(kept.reason)
      ? whyLines(
          { ...kept, remedies: remediesFor(kept, { named: kept.hook, typed: "/cordon", isFine, isRequired }) },
          kept.hook,
        )
      : lastBlock
        ? [`the last call of ${lastBlock.tool} that was blocked: ${cleanLine(lastBlock.reason, MAX_SAID)}`]
        : [];
  return [...down, ...last].join("\n") || "no call was blocked in this session";
}
