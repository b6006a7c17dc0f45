import { join } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { cleanLine, inQuotes } from "../base/text.ts";
import type { BrokerServices } from "../broker/services.ts";
import { defaultHome, namedHome } from "../disk/home.ts";
import { OwnPaths } from "../disk/own-paths.ts";
import { realPathOf } from "../disk/paths.ts";
import { type PolicyInForce, policiesInForce, policyPaths, requiredHooks } from "../grants/policy.ts";
import { AddedList } from "../powers/added-list.ts";
import { Channels } from "../powers/channels.ts";
import { Programs } from "../powers/exec-pin.ts";
import { NO_UI, type Session } from "../powers/lent-session.ts";
import { OwnAgents } from "../powers/own-agents.ts";
import { askBySelector, Consent } from "../session/consent.ts";
import { Decisions } from "../session/decisions.ts";
import type { Hook } from "../session/hook.ts";
import type { HookHostOptions } from "../session/options.ts";
import { remediesOf } from "../session/remedies.ts";
import { Reporter } from "../session/reporter.ts";
import { UseConsent } from "../session/use-consent.ts";
import { readUserGrants } from "../store/grants-file.ts";
import { findGrant, type Grants, readGrants } from "../store/grants-text.ts";
import { atOneMoment } from "../store/journal.ts";
import { acceptedAbove, defaultAgentDir, readSettings } from "./discover.ts";
import { findHooks, workspacesOf } from "./find-hooks.ts";

const DEFAULT_HOOK_TIMEOUT_MS = 30_000;

/** Everything that the options and the files on this machine say about a session. */
export interface Beginning {
  readonly options: HookHostOptions;
  readonly home: string;
  readonly services: BrokerServices;
  readonly hooks: readonly Hook[];
  readonly notices: readonly string[];
  readonly policies: readonly PolicyInForce[];
  readonly hookTimeout: number;
}

/** The policies in force. One that cannot be read ends the session before it begins, and the audit says so. */
function auditedPolicies(
  files: readonly string[],
  home: string,
  options: Omit<ConstructorParameters<typeof Reporter>[1], "policies">,
): PolicyInForce[] {
  try {
    return policiesInForce([...files]);
  } catch (error) {
    const reporter = new Reporter(home, { ...options, policies: [] });
    const code = error instanceof CordonError ? { code: error.code } : {};
    reporter.audit({
      hook: "",
      event: "policy",
      value: messageOf(error),
      ...code,
      outcome: "failed",
    });
    void reporter.close();
    throw error;
  }
}

/** Reads policies, settings and grants, and finds the hooks of a session. */
export function begin(options: HookHostOptions): Beginning {
  const { cwd, home: named = namedHome(), agentDir = defaultAgentDir(), grantsFile, env = process.env } = options;
  const home = realPathOf(named);
  // Who can replace a link to the home, gives the next session another.
  const homes = home === defaultHome() ? [named, namedHome()] : [named];
  const workspaces = workspacesOf(cwd);
  const policyFiles = policyPaths(process.env, { env, cwd });
  const session: Session = {
    cwd,
    env,
    sessionFile: options.sessionFile ?? null,
    hasUI: options.hasUI ?? options.ui !== undefined,
    ui: options.ui ?? NO_UI,
    send: options.onSend,
    model: options.model,
    agent: options.agent,
    agents: new OwnAgents(),
    channels: new Channels(),
    providers: new AddedList("provider"),
    virtualModels: new AddedList("virtual model"),
    runtime: undefined,
    workspaces,
    programs: new Programs(cwd, workspaces, env.PATH),
    own: new OwnPaths([...homes, ...(grantsFile ? [grantsFile] : []), ...policyFiles], agentDir),
  };
  const policies = auditedPolicies(policyFiles, home, { ...options, env });
  const reporter = new Reporter(home, { ...options, env, policies });
  const settings = options.discover === false || options.discover === "own" ? undefined : readSettings(agentDir);
  if (settings?.problem) reporter.log({ level: "warn", text: settings.problem });
  const { grants, hooks, notices, above } = atOneMoment(home, () => {
    const named = grantsFile ? readGrants(grantsFile, true) : undefined;
    const grants = [...(named ? [named] : []), readUserGrants(home)];
    const all = new Map(grants.flatMap((file) => [...file]));
    const found = findHooks(options, agentDir, home, settings, all);
    for (const hook of found.hooks) if (named && findGrant(named, hook.id, hook.realPath)) hook.grantsFile = grantsFile;
    const looks = options.discover !== false;
    const above = looks ? acceptedAbove(realPathOf(cwd), realPathOf(join(home, "hooks")), all) : [];
    return { grants, above, ...found };
  });
  const { agentName, agentVersion } = options;
  if (agentName !== undefined) {
    const value = cleanLine([agentName, agentVersion].filter(Boolean).join(" "), 300);
    reporter.audit({ hook: "", event: "start", value, outcome: "started" });
  }
  const required = new Set(requiredHooks(policies.map(({ policy }) => policy)));
  for (const hook of hooks) {
    hook.remedies = remediesOf(options.remedy);
    hook.required = required.has(hook.id);
  }
  const unused = unusedText(grantsFile, grants, hooks);
  for (const text of unused === undefined ? notices : [...notices, unused]) reporter.log({ level: "warn", text });
  for (const folder of above) {
    const text = `the hooks that you accepted in ${folder} do not judge here: a session has those of the folder that it begins in`;
    reporter.log({ level: "warn", text });
  }
  const hookTimeout = options.hookTimeout ?? settings?.hookTimeout ?? DEFAULT_HOOK_TIMEOUT_MS;
  const consent = new Consent(options.consent ?? askBySelector((title, choices) => session.ui.select(title, choices)));
  consent.onFailure = (hook, why) => {
    const text = `a person could not be asked, so the answer is no: ${cleanLine(messageOf(why), 500)}`;
    reporter.log({ level: "error", hook, text });
  };
  const decisions = new Decisions({ hooks, home, files: grants, folder: realPathOf(cwd), consent, reporter });
  const useConsent = new UseConsent({ session, policies, consent, decisions, reporter });
  const services = { session, reporter, decisions, consent: useConsent, pretence: options.pretence };
  return { options, home, services, hooks, notices, policies, hookTimeout };
}

/** The warning that the grants file of this session grants nothing to its hooks; `undefined` if it does. */
function unusedText(file: string | undefined, [named]: readonly Grants[], hooks: readonly Hook[]): string | undefined {
  const [hook] = hooks;
  if (file === undefined || !named || named.size === 0 || !hook || hooks.some((one) => one.grantsFile === file))
    return undefined;
  const keys = [...new Set([hook.id, hook.realPath])].map(inQuotes).join(" or ");
  return `${file} grants nothing to a hook here: its keys are ids, or paths of files, as ${keys}`;
}
