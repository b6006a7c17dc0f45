import { join } from "node:path";
import { expect } from "vitest";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** One dialog or notice as the agent's user interface got it. */
interface Shown {
  kind: "select" | "confirm" | "input" | "notify";
  title: string;
  /** The title without the hook's name, for interfaces that show the name themselves. */
  own?: string;
  /** Message or placeholder. */
  text?: string;
  options?: string[];
}

/** A person who picks the option of `pick`, agrees to everything and records what is shown. */
export function person(pick: (title: string, options: string[]) => string | null = () => null) {
  const shown: Shown[] = [];
  type Origin = { title: string } | undefined;
  const own = (origin: Origin) => (origin ? { own: origin.title } : {});
  const ui = {
    select: async (title: string, options: string[], origin?: Origin) => {
      shown.push({ kind: "select", title, options, ...own(origin) });
      return pick(title, options);
    },
    confirm: async (title: string, text: string, origin?: Origin) => {
      shown.push({ kind: "confirm", title, text, ...own(origin) });
      return true;
    },
    input: async (title: string, text?: string, origin?: Origin) => {
      shown.push({ kind: "input", title, ...(text === undefined ? {} : { text }), ...own(origin) });
      return "words";
    },
    notify: (title: string, _type?: string, origin?: Origin) => {
      shown.push({ kind: "notify", title, ...own(origin) });
    },
  };
  return { ui, shown };
}

/** A text that a hook puts into everything that a person or a model sees. */
export interface TextAttack {
  name: string;
  given: string;
  /** The text that remains. */
  shown: string;
  /** The remaining text in a log, whose lines may be longer. */
  logged?: string;
  /** The closest text that is shown unchanged. */
  works: string;
}

const PAINTER = onToolCall(
  `const { units } = event.input;
  const text = event.input.text ?? units.map((unit) => String.fromCharCode(unit)).join("");
  // The two that answer nothing come first: they are done when the others have answered.
  ctx.ui.notify(text);
  api.send(text);
  await ctx.ui.select(text, [text, "other"]);
  await ctx.ui.confirm(text, text);
  await ctx.ui.input(text, text);
  console.log(text);
  return { block: true, reason: text };`,
  "let api: any;",
).replace("pi.on(", "api = pi;\n  pi.on(");

const DEFAULT_REASON = "Tool execution was blocked by a hook";

/** Puts texts into every position that a hook can fill, and returns what is shown for each. */
export async function startPainter() {
  const { ui, shown } = person((_title, options) => options[0] as string);
  const sent: unknown[][] = [];
  const session = await startSession(
    {
      painter: {
        source: PAINTER,
        grant: {
          capabilities: {
            events: { see: ["*"], block: true },
            ui: ["select", "confirm", "input", "notify"],
            send: { perMinute: 600 },
          },
        },
      },
    },
    { ui, onSend: (...message) => sent.push(message) },
  );
  /** Without Cordon's own questions, which follow after some blocks. */
  const painted = async (input: Record<string, unknown>) => {
    for (const list of [shown, sent, session.log]) list.length = 0;
    const verdict = await session.call(input);
    return {
      verdict,
      shown: shown.filter(({ own }) => own !== undefined),
      sent,
      log: session.log.map((line) => line.text),
    };
  };
  return {
    /** A text of the hook's own, which the call does not have. */
    paint: (text: string) => painted({ units: Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)) }),
    /** A text of the call's. */
    paintCall: (text: string) => painted({ text }),
    errors: session.errors,
  };
}

/** The content of every position when a text is shown as `text`. */
export function everywhere(text: string, logged = text) {
  const further = text.replaceAll("\n", "\n| ");
  const title = `[hook painter] ${further}`;
  return {
    verdict: { block: true, hook: "painter", reason: text || DEFAULT_REASON },
    shown: [
      { kind: "notify", title, own: text },
      { kind: "select", title, own: text, options: [further, "other"] },
      { kind: "confirm", title, own: text, text: text && `| ${further}` },
      { kind: "input", title, own: text, text: further },
    ],
    sent: [[`Message from hook painter (not from the user): ${text}`, undefined, { hook: "painter", text }]],
    log: [logged],
  };
}

/** The content of each position. */
export function placesOf({
  verdict,
  shown,
  sent,
  log,
}: Awaited<ReturnType<Awaited<ReturnType<typeof startPainter>>["paint"]>>) {
  const select = shown.find(({ kind }) => kind === "select");
  return {
    title: select?.own ?? "",
    option: select?.options?.[0] ?? "",
    reason: verdict && "block" in verdict ? verdict.reason : "",
    message: (sent[0]?.[2] as { text: string } | undefined)?.text ?? "",
    logged: log[0] ?? "",
  };
}

/** Expects no character that moves a cursor, hides or reorders text. */
export const UNSAFE = /[[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]--[\n\t]]/v;

/** A hook's question, a person's answer, and the outcome. */
interface Dialog {
  /** Body of a handler of tool calls. */
  body: string;
  /** It needs a session of its own, without earlier questions. */
  alone?: true;
  /** The same, with this file name without `.ts`: people see it if a hook has no id. */
  file?: string;
  /** The same, with something before its default export. */
  top?: string;
  /** The same, with a manifest. */
  manifest?: object;
  /** By default nothing. */
  pick?: (title: string, options: string[]) => string | null;
  expected: {
    /** The reason of the block: the hook's own reason contains the answer that it got. */
    reason?: unknown;
    shown?: unknown;
  };
}

/** A dialog that imitates Cordon's own or another hook's, or tries to trick a person. */
export interface DialogAttack extends Dialog {
  name: string;
  works: Dialog;
}

const isAlone = ({ alone, file, top, manifest }: Dialog): boolean => (alone ?? file ?? top ?? manifest) !== undefined;

type Answered = { reason: unknown; shown: Shown[] };
type Ask = (dialog: Dialog) => Promise<Answered>;

/** A session with one hook that may only hear, block and ask. Cordon's question after many blocks is left out. */
async function startHook(
  folder: string,
  hook: { path: string; id?: string },
): Promise<(input: string, pick?: Dialog["pick"]) => Promise<Answered>> {
  let picks: Dialog["pick"];
  const { ui, shown } = person((title, options) => picks?.(title, options) ?? null);
  const { call } = await startSession({}, { ui, hooks: [{ ...hook, path: join(folder, hook.path) }] });
  return async (input, pick) => {
    picks = pick;
    shown.length = 0;
    const verdict = await call(input);
    const reason = verdict && "block" in verdict ? verdict.reason : verdict;
    return { reason, shown: shown.filter(({ title }) => !title.endsWith("calls in a row. Go on with it?")) };
  };
}

/** One hook for all dialogs that need no session of their own. */
async function startGate(dialogs: readonly Dialog[]): Promise<Ask> {
  const folder = temporaryFolder();
  const shared = dialogs.filter((dialog) => !isAlone(dialog));
  const bodies = shared.map(({ body }, at) => `if (event.input.command === "${at}") {\n${body}\n}`);
  writeFiles(folder, { "gate.ts": onToolCall(bodies.join("\n")) });
  const gate = await startHook(folder, { path: "gate.ts", id: "gate" });
  return async (dialog) => {
    if (!isAlone(dialog)) return gate(String(shared.indexOf(dialog)), dialog.pick);
    const { body, file, top, manifest, pick } = dialog;
    const name = file ?? "alone";
    writeFiles(folder, {
      [`${name}.ts`]: onToolCall(body, top),
      ...(manifest ? { [`${name}.hook.json`]: JSON.stringify(manifest) } : {}),
    });
    const asked = await startHook(folder, { path: `${name}.ts`, ...(file === undefined ? { id: "gate" } : {}) });
    return asked("", pick);
  };
}

/** Tries each: people see whose text they read, and the answer counts only for its dialog. */
export async function attemptAll(attacks: readonly DialogAttack[]): Promise<void> {
  const ask = await startGate(attacks.flatMap((attack) => [attack, attack.works]));
  for (const attack of attacks) {
    const { name, expected, works } = attack;
    const answered = await ask(attack);
    expect.soft(answered, name).toMatchObject(expected);
    for (const { title } of answered.shown) expect.soft(title, name).not.toMatch(UNSAFE);
    expect.soft(await ask(works), `${name}: works`).toMatchObject(works.expected);
  }
}
