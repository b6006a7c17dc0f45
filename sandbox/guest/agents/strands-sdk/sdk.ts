/**
 * The global symbol where the runtime finds the classes of a plugin's bundle: it needs the same ones for `instanceof`.
 */
export const SDK = Symbol.for("cordon.strands");

export type Sdk = typeof import("./blocks.ts") &
  typeof import("./events.ts") &
  Pick<typeof import("./content.ts"), "toBlocks">;
