import { messageOf } from "../../base/errors.ts";
import { readThrown } from "../../host/thrown.ts";
import { type PlainOutput, plainOutput } from "../plain-output.ts";
import { type Call, type ToolGates, textOf } from "../tool-gates.ts";
import { told } from "./told.ts";

/** Begins each result that a hook changed: `framed` puts it there. */
const CHANGED = "[Changed by hook ";

/** Shows hooks what a tool gave, and returns what the agent gets. Throws what the model reads as the tool's error. */
export async function shownOutput(gates: ToolGates, call: Call, output: unknown, started: number): Promise<unknown> {
  if (!gates.hearsResults) return output;
  let plain: PlainOutput;
  try {
    plain = plainOutput(output);
  } catch (error) {
    throw told(new Error(`Withheld by Cordon: no hook could check this result: ${messageOf(error)}`));
  }
  const content = [{ type: "text" as const, text: plain.text }];
  const passed = await gates.show(call, { content, details: plain.value, isError: false }, started);
  if (!passed) return plain.value;
  if (passed.isError) throw told(new Error(textOf(passed)));
  return textOf(passed);
}

/** Shows hooks the error of a tool. Throws it, or what takes its place, unless a hook made a result of it. */
export async function shownError(gates: ToolGates, call: Call, error: unknown, started: number): Promise<unknown> {
  const thrown = readThrown(error);
  const content = [{ type: "text" as const, text: thrown.text }];
  const passed = await gates.show(call, { content, isError: true }, started);
  if (!passed) throw thrown.error;
  if (passed.isError) throw told(new Error(textOf(passed)));
  return textOf(passed);
}

/** A tool's own output, which never begins as one that hooks changed: what it fetched may be anybody's words. */
export const ownOutput = (output: unknown): unknown => (isChanged(output) ? ` ${output}` : output);

/** True for a result that hooks changed: it is a text, and no output of the tool's own kind. */
export const isChanged = (output: unknown): output is string =>
  typeof output === "string" && output.startsWith(CHANGED);
