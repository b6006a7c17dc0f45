/** Where the runtime finds the classes that a plugin's bundle has: `instanceof` in the plugin must hold. */
export const SDK = Symbol.for("cordon.strands");

export type Sdk = typeof import("./blocks.ts") &
  typeof import("./events.ts") &
  Pick<typeof import("./content.ts"), "toBlocks">;
