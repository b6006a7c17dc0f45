import { decisionRules, type ExtensionEvent, fold, isFinal, rightFor, seenLater } from "../../sandbox/wire/events.ts";
import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { DEFAULT_REASON, failureReason, MAX_HOOK_TEXT, thrownReason, troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { Failure, Outcome } from "../supervisor/outcome.ts";
import { WOULD_BLOCK } from "./blocked.ts";
import { reportOutcome } from "./cancelled.ts";
import { repeats } from "./changes.ts";
import type { AnyEvent } from "./dispatcher.ts";
import { type HostInside, ordered } from "./host-inside.ts";
import { inPriorityOrder } from "./priority-order.ts";
import { givenBy } from "./result-shape.ts";
import { afterSession, whenTold } from "./session.ts";

type Decision = Record<string, unknown>;

/** Longest text of a hook's that becomes part of what the model reads. */
const MAX_TEXT = 1_000_000;

/** Exit code of a command of the user's that was not run. */
const NOT_RUN = 126;

const NOTHING: ExtensionEvent = { texts: [] };

/**
 * Shows hooks an event that has no rules of its own elsewhere, most of them of pi's extensions. Hooks that may decide are asked one by one, and each sees the decisions of those
 * before it; the others hear the event together. A hook that fails is reported, and the decisions of the others stay, but
 * a permission is denied if a hook that may deny it fails, and a command of the user's does not run if one that may answer it
 * does, as in pi.
 */
export async function passEvent(host: HostInside, event: AnyEvent): Promise<Decision | undefined> {
  const { type } = event;
  const rules = decisionRules(type) ?? NOTHING;
  if (ordered(host).some((hook) => isOut(hook) && hook.guardsPerson(type))) await bringBack(host);
  const listening = ordered(host, (hook) => hook.handles(type) || hook.guardsPerson(type));
  const hooks = await inPriorityOrder(host, listening, type, "");
  const gate = afterSession(host, (hook) => (hook.guardsPerson(type) ? missing(hook, type) : undefined));
  const decides = (hook: Hook): boolean =>
    Object.keys(rules.decides ?? {}).some((member) => mayDecide(hook, rules, member));
  let result: Decision | undefined;
  let shown: AnyEvent = { ...withoutSecrets(event) };
  for (let at = 0; at < hooks.length; ) {
    const first = hooks[at] as Hook;
    const end = decides(first) ? at + 1 : hooks.findIndex((hook, index) => index > at && decides(hook));
    const group = hooks.slice(at, end < 0 ? undefined : end);
    let isOver = false;
    const passed: Hook[] = [];
    const visit = (hook: Hook, outcome: Outcome): "stop" | undefined => {
      reportOutcome(host, hook, event, outcome);
      const decision = decisionOf(host, hook, shown, rules, outcome);
      const refusal = decision && refusalIn(decision, outcome);
      if (refusal !== undefined && host.monitors(hook)) {
        host.reporter.audit({ hook: hook.id, event: type, value: refusal, outcome: WOULD_BLOCK });
        return undefined;
      }
      if (!decision) {
        if ("verdict" in outcome) passed.push(hook);
        return undefined;
      }
      const framed = withOrigin(shown, hook, decision);
      result = fold(rules, result, withSecrets(event, framed));
      shown = { ...shown, ...seenLater(rules, framed) };
      host.reporter.audit({ hook: hook.id, event: type, value: Object.keys(decision).join(" "), outcome: "rewrite" });
      isOver = isFinal(type, decision);
      return isOver ? "stop" : undefined;
    };
    await host.dispatcher.each(group, shown, visit, { gate });
    host.reporter.passed(passed, type, "");
    if (isOver) break;
    at += group.length;
  }
  return result;
}

/** Why a decision refuses what a person is asked for, or typed: a hook's own answer to a command is no refusal. */
function refusalIn({ deny, result }: Decision, outcome: Outcome): string | undefined {
  if (deny !== undefined) return String(deny);
  return troubleOf(outcome) && result !== undefined ? String((result as { output?: unknown }).output) : undefined;
}

const isOut = (hook: Hook): boolean => hook.isDown || hook.isStuck;

/** Restarts hooks that are out and that a person wants back since. */
async function bringBack(host: HostInside): Promise<void> {
  for (const hook of ordered(host)) if (isOut(hook)) await host.restarts.restartIfAsked(hook);
  await whenTold(host);
}

/** Why a guard cannot judge, if so. */
function missing(hook: Hook, type: string): Failure | undefined {
  if (hook.isDown) return hook.failure ?? { code: "CRASHED", summary: "it is not running" };
  if (!hook.lacks(type)) return undefined;
  return { code: "LOAD_FAILED", summary: "it guarded these before, but now it has no handler for them" };
}

/** Headers whose values are keys. */
const SECRET = /auth|key|token|secret|cookie|session/i;
const HIDDEN = "(hidden by Cordon)";

type Headers = Record<string, string | null>;

/** Keys in the headers of a provider are hidden: a hook gets them only with the `model` power. */
function withoutSecrets(event: AnyEvent & { headers?: Headers }): AnyEvent {
  if (typeof event.headers !== "object" || event.headers === null) return event;
  const shown = Object.entries(event.headers).map(([name, value]) => [name, SECRET.test(name) ? HIDDEN : value]);
  return { ...event, headers: Object.fromEntries(shown) } as AnyEvent;
}

/** Puts hidden values back where a hook left them. */
function withSecrets({ headers }: AnyEvent & { headers?: Headers }, decision: Decision): Decision {
  if (!headers || !decision.headers) return decision;
  const whole = Object.entries(decision.headers as Headers).flatMap(([name, value]) => {
    if (value !== HIDDEN) return [[name, value]];
    return Object.hasOwn(headers, name) ? [[name, headers[name]]] : [];
  });
  return { ...decision, headers: Object.fromEntries(whole) };
}

const mayDecide = (hook: Hook, rules: ExtensionEvent, member: string): boolean => {
  const right = rightFor(rules, member);
  if (right === "block") return hook.mayBlock;
  return right !== undefined && hook.may(right);
};

/** What a hook decided, as far as it may. */
function decisionOf(
  host: HostInside,
  hook: Hook,
  shown: AnyEvent,
  rules: ExtensionEvent,
  outcome: Outcome,
): Decision | undefined {
  const { type } = shown;
  const trouble = troubleOf(outcome);
  if (trouble && type === "user_bash" && mayDecide(hook, rules, "result") && !hook.failsOpen) {
    const reason = "failure" in trouble ? failureReason(hook, trouble.failure) : `hook ${hook.name} failed`;
    return { result: { output: reason, exitCode: NOT_RUN, cancelled: false, truncated: false } };
  }
  if (trouble && type === "permission_request" && hook.mayBlock && !hook.failsOpen)
    return { deny: "failure" in trouble ? failureReason(hook, trouble.failure) : thrownReason(trouble.thrown) };
  const given = givenBy<Decision>(outcome) ?? {};
  const decides = Object.entries(given).filter(
    ([member, value]) => host.isRehearsal || !isRepeated(shown, rules, member, value),
  );
  if (decides.length === 0) return undefined;
  // A person's input is replaced as a whole.
  const allowed = (type === "input" ? Object.entries(given) : decides).filter(([member]) => {
    if (mayDecide(hook, rules, member)) return true;
    host.reporter.refuse(
      hook,
      type,
      { right: rightFor(rules, member) ?? member },
      `its decision about ${member} was dropped`,
    );
    return false;
  });
  return allowed.length > 0 ? Object.fromEntries(allowed) : undefined;
}

/** A value that the hook was shown, and gave back. A decision that replaces others as a whole, or denies, repeats nothing. */
function isRepeated(shown: AnyEvent, rules: ExtensionEvent, member: string, value: unknown): boolean {
  if (shown.type === "input" && member === "action") return value === "transform";
  if (rules.whole || rules.decides?.[member] !== "replace" || rightFor(rules, member) === "block") return false;
  return repeats(shown, member, value);
}

/** The model, or the user, is told whose words they read. */
function withOrigin(event: AnyEvent, hook: Hook, decision: Decision): Decision {
  const { text, systemPrompt, messages, deny } = decision;
  const framed = { ...decision };
  for (const told of ["followUp", "context"] as const)
    if (typeof decision[told] === "string")
      framed[told] = `Message from hook ${hook.name} (not from the user): ${cleanText(decision[told], MAX_TEXT)}`;
  if (typeof deny === "string")
    framed.deny = `Blocked by hook ${hook.name}: ${cleanText(deny, MAX_HOOK_TEXT) || DEFAULT_REASON}`;
  if (typeof systemPrompt === "string") framed.systemPrompt = cleanText(systemPrompt, MAX_TEXT);
  if (typeof text === "string" && !repeats(event, "text", text))
    framed.text = `${cleanText(text, MAX_TEXT)}\n\n(Changed by hook ${hook.name}, not by the user.)`;
  if (!Array.isArray(messages)) return framed;
  // Messages of the session stay as they are. What a hook says as the user, a tool or itself begins with its name.
  const known = new Set(((event as { messages?: unknown[] }).messages ?? []).map((message) => JSON.stringify(message)));
  framed.messages = messages.map((message: Readonly<Record<string, unknown>>) =>
    known.has(JSON.stringify(message)) || ["assistant", "system"].includes(String(message.role))
      ? message
      : fromHook(hook, message),
  );
  return framed;
}

/** Where a message of pi's has texts for the model, beside its content: of a summary, and of a command that the person ran. */
const TEXTS = ["summary", "command", "output"] as const;

/** A message for the model, which begins with whose it is. */
function fromHook(hook: Hook, message: Readonly<Record<string, unknown>>): object {
  const origin = `Message from hook ${hook.name} (not from the user):`;
  const { content, customType } = message;
  const framed: Record<string, unknown> = { ...message };
  if (typeof customType === "string") framed.customType = cleanLine(customType, MAX_NAME);
  for (const name of TEXTS)
    if (typeof message[name] === "string") framed[name] = `${origin} ${cleanText(message[name], MAX_TEXT)}`;
  framed.content =
    typeof content === "string"
      ? `${origin} ${cleanText(content, MAX_TEXT)}`
      : [{ type: "text", text: origin }, ...(Array.isArray(content) ? content : [])];
  return framed;
}
