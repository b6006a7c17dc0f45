import { isAbsolute } from "node:path";
import type { KeptBlock } from "../audit/blocks.ts";
import { about, command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { isOfCode, withoutWayOut } from "./failure-text.ts";

/** What a person types for Cordon's commands in a terminal, or in an agent. */
export type Typed = "cordon" | "/cordon";

/** What a block was about; of a call that only the audit knows, there is no input. */
export interface Why extends Omit<KeptBlock, "input"> {
  input?: unknown;
  /** What a person can do about it. */
  remedies: string[];
}

const REQUIRED = "your organisation's policy requires this hook: only who wrote the policy can change that";
const FINE = "try that again: there is nothing to restart";
const MEND = "mend its code: the same call may fail again";

/**
 * What a person can do about a block. `named`: the name of the hook that they type; `undefined` if no command finds it. `isFine`: the
 * hook runs, whatever happened to it in that call. `isRequired`: by a policy, so no command goes on without it. `policy`: the file of the policy that
 * does not allow what the hook was refused, or that requires a hook which does not judge. `lifted`: that one did not allow it then.
 * `grant`: what a person can do about what it was refused, as the record has that.
 */
export function remediesFor(
  { hook, code, at }: Pick<KeptBlock, "hook" | "code" | "at">,
  {
    named,
    typed,
    isFine,
    isRequired,
    policy,
    lifted,
    grant,
  }: {
    named: string | undefined;
    typed: Typed;
    isFine: boolean;
    isRequired: boolean;
    policy?: string | undefined;
    lifted?: string | undefined;
    grant?: string | undefined;
  },
): string[] {
  if (hook === "") {
    const check = `${command`cordon policy check ${policy ?? ""} --explain`}: what that policy asks for, and what is missing here`;
    return [...(policy === undefined ? [] : [check]), "cordon doctor: what is wrong with this set-up"];
  }
  const place = at === undefined ? [] : [`read ${at}: it ${code === undefined ? "decided this" : "failed there"}`];
  const byPolicy =
    code === "NOT_GRANTED" && policy !== undefined
      ? [`only who wrote the policy ${policy} can allow it: a grant cannot`]
      : [];
  if (named === undefined)
    return [
      ...place,
      ...byPolicy,
      "no command here finds this hook by that name: it was removed, or a program or a command line named it, and can leave it out; commands take its file",
      ...(isAbsolute(hook) && !isRequired
        ? [`${about(`${typed} disable`, hook)}: goes on without it, also where its file is gone`]
        : []),
    ];
  const type = (verb: string): string => about(`${typed} ${verb}`, named);
  const out = isRequired ? [] : [`${type("disable")}: goes on without this hook`];
  const again = `${type("restart")}: tries it again`;
  if (code === undefined) return isRequired ? [...place, REQUIRED] : [...place, ...out];
  if (isFine && !DECIDED.has(code)) return [...place, isOfCode(code) ? MEND : FINE, ...out];
  switch (code) {
    case "NOT_GRANTED":
      if (byPolicy.length > 0) return [...byPolicy, ...out];
      // The reason may be a text of the hook's own: no command is taken from it.
      return [
        ...(lifted === undefined ? [] : [lifted]),
        typed === "cordon"
          ? (grant ??
            `${command`cordon audit --hook ${named} --outcome NOT_GRANTED`}: what it was refused, for cordon grant`)
          : `${type("grant")} POWER JSON: gives it what it was refused`,
        ...out,
      ];
    case "LOAD_FAILED":
    case "IMPORT_REFUSED":
    case "BUNDLE_TOO_LARGE":
    case "BAD_MANIFEST":
      return [
        `${command`cordon check ${named}`}: what is wrong with it, and where`,
        `${again}, once its file is mended`,
        ...out,
      ];
    // What a person never accepted blocks nothing: this is a hook that a policy does not allow.
    case "NOT_ACCEPTED":
      return isRequired ? [REQUIRED] : [`${type("remove")}: your organisation's policy does not allow it`, ...out];
    case "DIGEST_MISMATCH":
      return ["cordon accept: shows what changed, and asks you", ...out];
    case "NO_RUNTIME":
      return ["cordon runtime install: fetches what sandboxes run on", "cordon doctor: what else is missing"];
    default:
      return [again, ...out];
  }
}

/** What a person or a policy decided, and what no restart changes. */
const DECIDED: ReadonlySet<string> = new Set(["NOT_GRANTED", "NOT_ACCEPTED"]);

/** Longest text of a hook's or a call's in a line. */
const MAX_SHOWN = 8000;

/** A block as lines that people read. No text of a hook's begins a line. */
export function whyLines({ time, hook, tool, reason, at, code, input, remedies }: Why, name: string): string[] {
  const shown = typeof input === "string" ? input : JSON.stringify(input);
  // The remedies say what helps now.
  const because = code === undefined ? reason : withoutWayOut(reason);
  return [
    `${hook === "" ? "Cordon" : `hook ${name}`} blocked ${tool || "a call"} on ${time.slice(0, 10)} at ${time.slice(11, 19)} UTC`,
    `  because: ${cleanLine(because, MAX_SHOWN)}${code === undefined || reason.includes(`(${code})`) ? "" : ` (${code})`}`,
    ...(at === undefined ? [] : [`  handler: ${cleanLine(at, MAX_SHOWN)}`]),
    ...(shown === undefined ? [] : [`  input:   ${cleanLine(shown, MAX_SHOWN)}`]),
    ...remedies.map((remedy) => `  remedy:  ${remedy}`),
  ];
}
