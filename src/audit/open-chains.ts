import type { Chain } from "./chain.ts";
import { OwnChain } from "./own-chain.ts";
import { SharedChain } from "./shared-chain.ts";
import { writesSharedChain } from "./short-process.ts";

/** Open chains by folder: hosts of one process share a chain. */
const chains = new Map<string, { chain: Chain; users: number }>();

// Other processes wait for a shared chain that is being written, and would take one without an end for that of a process that died.
let ends = false;
function endWithProcess(): void {
  if (ends) return;
  ends = true;
  process.on("exit", () => {
    for (const { chain } of chains.values()) chain.end();
  });
}

/** The chain of this process in a folder. Call {@link closeChain} as often. */
export function openChain(folder: string): Chain {
  endWithProcess();
  const open = chains.get(folder) ?? {
    chain: writesSharedChain() ? new SharedChain(folder) : new OwnChain(folder),
    users: 0,
  };
  chains.set(folder, open);
  open.users++;
  return open.chain;
}

export function closeChain(folder: string): void {
  const open = chains.get(folder);
  if (!open || --open.users > 0) return;
  chains.delete(folder);
  open.chain.end();
}
