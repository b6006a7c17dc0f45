import { confirm, isCancel, multiselect, select } from "@clack/prompts";
import { CordonError } from "../errors.ts";
import type { Choice } from "../market/install.ts";
import { type Rehearsal, rehearse } from "../market/rehearsal.ts";
import { sampleEvents } from "../market/sample-events.ts";
import { hookLines, type Line } from "../market/screen.ts";
import type { StagedHook } from "../market/stage.ts";
import { asked } from "../market/update.ts";
import { type Terminal, table } from "./terminal.ts";

/** What is known of a hook before a person decides about it. */
export interface Looked {
  rehearsal: Rehearsal;
  lines: Line[];
}

/**
 * Rehearses a hook and reads what it asks for. Throws `DIGEST_MISMATCH` for one that is not what a person would accept: an
 * agent could put another file in its place for as long as they look.
 *
 * @param folder its files are relative to it
 */
export async function look(hook: StagedHook, folder: string, home: string): Promise<Looked> {
  const rehearsal = await rehearse(hook, folder, home, sampleEvents());
  if (rehearsal.digest !== undefined && rehearsal.digest !== hook.digest)
    throw new CordonError("DIGEST_MISMATCH", `${hook.id} changed while it was looked at; look again`);
  return { rehearsal, lines: hookLines(hook, hook.uses, rehearsal) };
}

/** Shows what a person reads before they decide. */
export function show(blocks: readonly Line[][], output: { write(text: string): unknown; columns?: number }): void {
  for (const lines of blocks) output.write(`${table(lines, output.columns ?? 80)}\n\n`);
}

/** Asks what a hook gets. `no`: what it means to refuse it, which is the first answer. */
export async function choose(
  hook: StagedHook,
  { message, no }: { message: string; no: string },
  { input, output }: Terminal,
): Promise<Choice> {
  const powers = Object.keys(asked(hook));
  const answer = await select({
    message,
    options: [
      { value: "refuse", label: no },
      { value: "none", label: "Yes, without powers: it may hear, ask and block" },
      ...(powers.length > 0
        ? [
            { value: "some", label: "Yes, and choose its powers" },
            { value: "all", label: `Yes, with all it asks for: ${powers.join(", ")}` },
          ]
        : []),
    ],
    input,
    output,
  });
  if (isCancel(answer) || answer === "refuse") return "refuse";
  if (answer === "none") return [];
  const options = powers.map((value) => ({ value, label: value }));
  const picked =
    answer === "all" ? powers : await multiselect({ message: "Which?", options, required: false, input, output });
  if (isCancel(picked)) return "refuse";
  if (picked.includes("exec") && asked(hook).exec?.some((entry) => entry.fullAccess)) {
    const sure = "With these programs it can do whatever you can. Grant that?";
    if ((await confirm({ message: sure, initialValue: false, input, output })) !== true) return "refuse";
  }
  return picked;
}
