import { CordonError } from "../base/errors.ts";
import { refuseUnreviewable, shownPowers } from "../grants/shown-power.ts";
import { HookHost } from "../host/host.ts";
import { type Rehearsal, rehearse } from "../host/rehearsal.ts";
import { sampleEvents } from "../host/sample-events.ts";
import type { Choice } from "../market/install.ts";
import { hookLines, type Line, meaningOf } from "../market/screen.ts";
import type { StagedHook } from "../market/stage.ts";
import { asked, mayAsk } from "../market/update.ts";
import { askOne, askSome, askWhether } from "./ask.ts";
import type { Screen } from "./print.ts";
import { printTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** What is known of a hook before a person decides about it. */
export interface Looked {
  rehearsal: Rehearsal;
  lines: Line[];
}

/**
 * Rehearses a hook and reads what it asks for. Throws `DIGEST_MISMATCH` for one that is not what a person would accept: an
 * agent could put another file in its place for as long as they look. Throws `BAD_MANIFEST` for one that asks for more than
 * anybody reads.
 *
 * @param place the folder that its files are relative to, and what a person calls that
 */
export async function look(hook: StagedHook, place: { folder: string; own: string }, home: string): Promise<Looked> {
  refuseUnreviewable([asked(hook), mayAsk(hook)], hook.id, "BAD_MANIFEST");
  const rehearsal = await rehearse(HookHost.start, hook, place, home, sampleEvents());
  if (rehearsal.digest !== undefined && rehearsal.digest !== hook.digest)
    throw new CordonError("DIGEST_MISMATCH", `${hook.id} changed while it was looked at; look again`);
  return { rehearsal, lines: hookLines(hook, hook.uses, rehearsal) };
}

/** Shows what a person reads before they decide. */
export function show(blocks: readonly Line[][], screen: Screen): void {
  for (const lines of blocks) {
    printTable(lines, screen);
    screen.write("\n");
  }
}

/** Asks what a hook gets, by what it did in its rehearsal. `no`: what it means to refuse it, which is the first answer. */
export async function choose(
  hook: StagedHook,
  { message, no }: { message: string; no: string },
  rehearsal: Rehearsal,
  terminal: Terminal,
): Promise<Choice> {
  const powers = shownPowers(asked(hook)).map(({ power }) => power);
  const none = `Yes, without powers: ${meaningOf(rehearsal) ?? "it may hear, ask and block"}`;
  const some = [
    { value: "some", label: "Yes, and choose its powers" },
    { value: "all", label: `Yes, with all it asks for: ${powers.join(", ")}` },
  ];
  const answers = [
    { value: "refuse", label: no },
    { value: "none", label: none },
  ];
  const answer = await askOne(message, [...answers, ...(powers.length > 0 ? some : [])], terminal);
  if (answer === undefined || answer === "refuse") return "refuse";
  if (answer === "none") return [];
  const each = powers.map((value) => ({ value, label: value }));
  const picked = answer === "all" ? powers : await askSome("Which?", each, terminal);
  if (picked === undefined) return "refuse";
  if (picked.includes("exec") && asked(hook).exec?.some((entry) => entry.fullAccess)) {
    const sure = "With these programs it can do whatever you can. Grant that?";
    if (!(await askWhether(sure, terminal))) return "refuse";
  }
  return picked;
}
