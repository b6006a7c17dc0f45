import { expect } from "vitest";
import type { Capabilities } from "../../src/grants/schema.ts";
import { onToolCall, startSession } from "../support/session.ts";
import { person } from "./ui-attack.ts";

/** How a hook can flood a person, and how often it may act. */
interface CallFlood {
  name: string;
  capability: Capabilities;
  most: number;
  /** One use: `at` in scope. */
  flood: string;
  cameThrough: "select" | "confirm" | "input" | "notify" | "sent" | "questions";
}

const ui = (kind: "select" | "confirm" | "input" | "notify"): Capabilities => ({ ui: [kind] });

export const callFloods: CallFlood[] = [
  {
    name: "choices",
    capability: ui("select"),
    most: 60,
    flood: 'await ctx.ui.select("a" + at, ["b"]);',
    cameThrough: "select",
  },
  {
    name: "confirmations",
    capability: ui("confirm"),
    most: 60,
    flood: 'await ctx.ui.confirm("a" + at, "");',
    cameThrough: "confirm",
  },
  { name: "inputs", capability: ui("input"), most: 60, flood: 'await ctx.ui.input("a" + at);', cameThrough: "input" },
  { name: "notices", capability: ui("notify"), most: 120, flood: 'ctx.ui.notify("a" + at);', cameThrough: "notify" },
  { name: "messages", capability: { send: {} }, most: 6, flood: 'api.send("a" + at);', cameThrough: "sent" },
  {
    name: "messages that were granted",
    capability: { send: { perMinute: 9 } },
    most: 9,
    flood: 'api.send("a" + at);',
    cameThrough: "sent",
  },
  {
    name: "Cordon's own questions",
    capability: {},
    most: 30,
    flood: 'await ctx.exec("echo", ["a" + at]);',
    cameThrough: "questions",
  },
];

const source = (flood: string) =>
  onToolCall(
    `let told = "all";
    for (let at = 0; at < event.input.times; at++) {
      try { ${flood} } catch (error: any) { told = error.code; }
    }
    // What answers nothing has been dealt with once this is refused.
    await ctx.exec("last", []).catch(() => {});
    return { block: true, reason: told };`,
    "let api: any;",
  ).replace("pi.on(", "api = pi;\n  pi.on(");

/** One use over the limit is refused and reported, and the hook keeps running. Uses up to the limit come through. */
export async function attemptFlood(
  capability: Capabilities,
  most: number,
  flood: string,
  cameThrough: CallFlood["cameThrough"],
): Promise<void> {
  for (const times of [most, most + 1]) {
    const { ui: shownTo, shown } = person();
    const sent: string[] = [];
    const questions: string[] = [];
    const { call, errors, audit, host } = await startSession(
      {
        flooder: {
          source: source(flood),
          grant: { capabilities: { events: { see: ["*"], block: true }, ...capability } },
        },
      },
      {
        ui: shownTo,
        onSend: (text) => sent.push(text),
        consent: ({ value }) => {
          if (value !== "last") questions.push(value);
          return value === "last" ? "deny" : "once";
        },
      },
    );
    const verdict = await call({ times });
    const counts = { sent: sent.length, questions: questions.length };
    const came =
      cameThrough in counts
        ? counts[cameThrough as keyof typeof counts]
        : shown.filter(({ kind }) => kind === cameThrough).length;
    expect(came).toBe(most);
    const refused = audit.filter(
      ({ outcome, value }) => outcome === "RATE_LIMITED" || (outcome === "NOT_GRANTED" && value !== "last"),
    );
    expect(refused).toHaveLength(times - most);
    expect(errors.filter(({ error }) => !error.includes("last"))).toHaveLength(times - most);
    const answers = cameThrough !== "notify" && cameThrough !== "sent";
    const refusal = cameThrough === "questions" ? "NOT_GRANTED" : "RATE_LIMITED";
    expect(verdict).toMatchObject({ hook: "flooder", reason: answers && times > most ? refusal : "all" });
    await host.close();
  }
}
