let isShort = false;

/** From now on this process writes into the shared chain: a file of its own would be of no use to a command that soon ends. */
export function writeSharedChain(): void {
  isShort = true;
}

export const writesSharedChain = (): boolean => isShort;
