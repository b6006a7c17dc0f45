import { onToolCall, startSession } from "../support/session.ts";

/** Expressions over pi's packages (`tui`, `ai`, `agent`), which may wait, and what each is about. */
export type Row = [claim: string, expression: string];

const IMPORTS = `import * as tui from "@earendil-works/pi-tui"; import * as ai from "@earendil-works/pi-ai";
import * as agent from "@earendil-works/pi-coding-agent";`;

/** The values of expressions in a hook, as JSON, by claim. */
export async function inHook(rows: readonly Row[], grant: object = {}): Promise<Record<string, string>> {
  const cases = rows.map(([claim, expression]) => `${JSON.stringify(claim)}: async () => (${expression}),`).join("\n");
  const source = onToolCall(
    `const value = await ROWS[event.input.claim]().catch((error: any) => ({ error: error.message }));
     return { block: true, reason: encodeURIComponent(JSON.stringify(value)).slice(event.input.from, event.input.from + 1500) };`,
    `${IMPORTS}\nconst ROWS: any = {\n${cases}\n};`,
  );
  const { call, host } = await startSession({
    gate: { source, grant: { capabilities: { events: { see: ["tool_call"], block: true }, ...grant } } },
  });
  if (host.hooks[0]?.state !== "active") throw new Error(host.hooks[0]?.reason);
  const found = new Map<string, string>();
  for (const [claim] of rows) {
    // A reason is cut where it is long.
    let text = "";
    for (let part = "-".repeat(1500); part.length === 1500; text += part) {
      const verdict = await call({ claim, from: text.length });
      part = verdict && "reason" in verdict ? verdict.reason : "";
    }
    found.set(claim, decodeURIComponent(text));
  }
  return Object.fromEntries(found);
}

/** The same with pi's own packages, in this process. */
export async function inPi(rows: readonly Row[]): Promise<Record<string, string>> {
  // pi's styles, as on a terminal with 256 colours.
  process.env.FORCE_COLOR = "2";
  const tui = await import("@earendil-works/pi-tui");
  const ai = await import("@earendil-works/pi-ai");
  const agent = await import("@earendil-works/pi-coding-agent");
  const found = new Map<string, string>();
  for (const [claim, expression] of rows) {
    const evaluate = new Function("tui", "ai", "agent", `return (async () => (${expression}))();`);
    found.set(claim, String(JSON.stringify(await evaluate(tui, ai, agent))));
  }
  return Object.fromEntries(found);
}
