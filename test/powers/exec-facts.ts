import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { startFacts } from "../guest/facts.ts";

type Options = Parameters<typeof startFacts>[1];

/** A hook that runs command lines, each a fact named by the line itself, with a grant of these entries. */
export function startRunner(exec: ExecGrant | undefined, lines: Record<string, string>, options: Options = {}) {
  const grant = { capabilities: { ui: ["select" as const], ...(exec ? { exec } : {}) } };
  return startFacts(Object.fromEntries(Object.entries(lines).map(([name, call]) => [name, `return await ${call};`])), {
    grant,
    ...options,
  });
}

/** Entries for a shell, which can do anything that a test needs. */
export const SHELL: ExecGrant = [{ program: "sh", args: ["-c", { kind: "text" }], fullAccess: true }];
