import { startSession } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";

type Options = Parameters<typeof startSession>[1];
type Grant = Exclude<Parameters<typeof startSession>[0][string], string>["grant"];

/**
 * Starts one hook that knows several facts, each the body of an async function in a real isolate (`event`, `ctx` and `pi`
 * in scope), and returns a function that evaluates one. A fact that throws is `{ threw: "Name: message" }`.
 */
export async function startFacts(facts: Record<string, string>, options: Options & { grant?: Grant } = {}) {
  const bodies = Object.entries(facts).map(
    ([name, body]) =>
      `  ${JSON.stringify(name)}: async (event: any, ctx: any, pi: any): Promise<any> => {\n${body}\n  },`,
  );
  const source = `const facts: Record<string, any> = {\n${bodies.join("\n")}\n};
export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    let told: any;
    try {
      told = { value: await facts[event.input.fact](event, ctx, pi) };
    } catch (error: any) {
      told = { threw: error?.name + ": " + error?.message, code: error?.code };
    }
    // Escaped, as a log is cleaned of what cannot be seen.
    console.log("FACT " + JSON.stringify(told).replace(/[^ -~]/g, (c) => "\\\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")));
  });
}
`;
  const { grant, ...rest } = options;
  const patient = { ...grant, limits: { ...UNHURRIED, ...grant?.limits } };
  const session = await startSession({ teller: { source, grant: patient } }, rest);
  const ask = async (fact: string): Promise<unknown> => {
    const before = session.log.length;
    const verdict = await session.call({ fact });
    const line = session.log.slice(before).find(({ text }) => text.startsWith("FACT "));
    if (verdict || !line) throw new Error(`no answer about ${fact}: ${JSON.stringify(verdict)}`);
    const told = JSON.parse(line.text.slice(5));
    return "threw" in told ? told : told.value;
  };
  return { ...session, ask };
}
