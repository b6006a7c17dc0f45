import { isAbsolute } from "node:path";
import type { AuditLine } from "../audit/line.ts";
import { CordonError } from "../base/errors.ts";
import { keyed } from "../base/schema.ts";
import Type from "../base/type.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { checker, closed } from "../grants/schema.ts";
import type { HookUIContext } from "../hook-api.ts";
import type { AgentServices, Models, SendHandler } from "../powers/lent-session.ts";
import type { Pretence } from "../powers/pretence.ts";
import type { ConsentHandler } from "./consent.ts";
import type { Refusal } from "./hook-error.ts";
import type { LogLine } from "./log-line.ts";
import type { Remedies } from "./remedies.ts";

/** A hook named by the embedding agent. */
export interface HookOption {
  /** Absolute, or relative to `cwd`; `~` is home. */
  path: string;
  id?: string;
  grant?: Pick<GrantEntry, "capabilities" | "limits" | "priority" | "failure" | "config">;
  /** `full`: runs in this process through jiti, with all its rights. */
  trust?: "full";
}

export interface HookHostOptions {
  /** Absolute; hooks see it as `ctx.cwd`. */
  cwd: string;
  hooks?: (string | HookOption)[];
  /** Look for installed hooks, in Cordon's own folders, and in pi's folders and settings. `own`: not in those of pi. Default true. */
  discover?: boolean | "own";
  /** Default `$PI_CODING_AGENT_DIR` or `~/.pi/agent`. */
  agentDir?: string;
  /** Default `$CORDON_HOME` or `~/.cordon`. */
  home?: string;
  /** A grants file that goes before `<home>/grants.json`. */
  grantsFile?: string;
  ui?: HookUIContext;
  /** Default: true if `ui` is given. */
  hasUI?: boolean;
  sessionFile?: string | null;
  /** The variables that hooks and their programs see, as far as they were granted. Default: those of this process. */
  env?: NodeJS.ProcessEnv;
  /** ms, default 30000. */
  hookTimeout?: number;
  /**
   * Keep a started sandbox process ready, from a second after the start on, so that a hook is back 5 ms after a crash, and not
   * 40 ms. Default true. Costs 12 MB.
   */
  spare?: boolean;
  /** Default: asks through `ui.select`. */
  consent?: ConsentHandler;
  /** The canonical names (pi's: `bash`, `read`, ...) of the agent's tools, by its own: `{ exec: "bash" }`. */
  toolNames?: Readonly<Record<string, string>>;
  /** The agent's name and version, for the audit. */
  agentName?: string;
  agentVersion?: string;
  /**
   * What a person types to restart a hook, in the texts of blocks, or for each way out: `{ restart, remove, grant, accept }`. The
   * hook's id follows. Default: Cordon's own commands.
   */
  remedy?: string | Partial<Remedies>;
  model?: Models;
  agent?: AgentServices;
  onSend?: SendHandler;
  onAudit?: (line: AuditLine) => void;
  /** Called for each first use of a power that was not granted, from loading on, also for those that raise no error. */
  onRefused?: (refusal: Refusal) => void;
  /**
   * Whether hooks only monitor, asked before each call: a call that they would have blocked runs, and `onWouldBlock` of
   * `emitToolCall` hears of it. All else holds as ever: powers, changes of calls and results, and a policy's required hooks.
   */
  monitor?: () => boolean;
  /**
   * Hooks are only tried out: the audit marks its lines with `trial`, and reports leave them out. `alone`: without the hooks that a
   * policy requires, and not blocked for want of them. Default false.
   */
  trial?: boolean | "alone";
  /**
   * Records the session's events with what hooks said, as JSON Lines: `true` in `<home>/recordings`, or in this new file
   * (relative to `cwd`; `BAD_GRANT` if it is there). Secrets are masked as far as they are recognised. See {@link HookHost.recording}.
   */
  record?: true | string;
  /** Builds hooks as `cordon add` builds those of a package, which a build of one's own files is not. Default false. */
  packed?: boolean;
  /** Tries hooks out: what happens instead of refusals, as for `cordon trace`. */
  pretence?: Pretence;
  /** Hooks' `console` and Cordon's own notices. Default: standard error. */
  log?: (line: LogLine) => void;
}

const anything = Type.Optional(Type.Unknown());
const shortText = Type.String({ minLength: 1, maxLength: 128 });
const command = Type.String({ maxLength: 200 });
const Shape = Type.Object(
  {
    cwd: Type.String(),
    hooks: Type.Optional(
      Type.Array(
        Type.Union([
          Type.String({ minLength: 1 }),
          Type.Object(
            {
              path: Type.String({ minLength: 1 }),
              id: Type.Optional(Type.String({ minLength: 1 })),
              grant: anything,
              trust: Type.Optional(Type.Literal("full")),
            },
            closed,
          ),
        ]),
      ),
    ),
    discover: Type.Optional(Type.Union([Type.Boolean(), Type.Literal("own")])),
    agentDir: Type.Optional(Type.String()),
    home: Type.Optional(Type.String()),
    grantsFile: Type.Optional(Type.String()),
    ui: anything,
    hasUI: Type.Optional(Type.Boolean()),
    sessionFile: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    env: Type.Optional(keyed(Type.Union([Type.String(), Type.Undefined()]))),
    hookTimeout: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    spare: Type.Optional(Type.Boolean()),
    consent: anything,
    toolNames: Type.Optional(keyed(shortText)),
    agentName: Type.Optional(shortText),
    agentVersion: Type.Optional(shortText),
    remedy: Type.Optional(
      Type.Union([
        command,
        Type.Partial(Type.Object({ restart: command, remove: command, grant: command, accept: command }), closed),
      ]),
    ),
    model: Type.Optional(Type.Object({ resolveApiKey: anything, complete: anything, findModel: anything })),
    agent: Type.Optional(
      Type.Object(
        {
          state: anything,
          session: anything,
          read: anything,
          act: anything,
          agents: anything,
          providers: Type.Optional(Type.Array(Type.String())),
          sendMessage: anything,
        },
        closed,
      ),
    ),
    onSend: anything,
    onAudit: anything,
    onRefused: anything,
    monitor: anything,
    trial: Type.Optional(Type.Union([Type.Boolean(), Type.Literal("alone")])),
    record: Type.Optional(Type.Union([Type.Literal(true), Type.String({ minLength: 1 })])),
    packed: Type.Optional(Type.Boolean()),
    pretence: anything,
    log: anything,
  },
  closed,
);
const check = checker<HookHostOptions>(Shape, "BAD_GRANT");

/** Options that are functions (no names) or objects of functions. */
const FUNCTIONS: Record<string, readonly string[]> = {
  ui: ["select", "confirm", "input", "notify"],
  consent: [],
  onSend: [],
  onAudit: [],
  onRefused: [],
  monitor: [],
  log: [],
};

function checkFunctions(value: unknown, name: string, methods: readonly string[]): void {
  if (value === undefined) return;
  const wrong =
    methods.length === 0
      ? typeof value !== "function"
      : typeof value !== "object" ||
        value === null ||
        methods.some((method) => typeof (value as Record<string, unknown>)[method] !== "function");
  if (!wrong) return;
  const wanted = methods.length === 0 ? "a function" : `an object with the functions ${methods.join(", ")}`;
  throw new CordonError("BAD_GRANT", `HookHost.start options: ${name} must be ${wanted}`);
}

/** Throws for options that are missing, mistyped or misspelt: a misspelt one could silently weaken a setting. */
export function checkOptions(options: HookHostOptions): HookHostOptions {
  const given = Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined));
  check(given, "HookHost.start options");
  for (const [name, methods] of Object.entries(FUNCTIONS)) checkFunctions(given[name], name, methods);
  const tools = Object.values(options.toolNames ?? {});
  if (new Set(tools).size < tools.length)
    throw new CordonError("BAD_GRANT", "HookHost.start options: toolNames gives two tools one name");
  for (const name of ["cwd", "home", "agentDir"] as const) {
    const path = options[name];
    if (path !== undefined && !isAbsolute(path))
      throw new CordonError("BAD_GRANT", `HookHost.start options: ${name} must be absolute, not ${path}`);
  }
  return options;
}
