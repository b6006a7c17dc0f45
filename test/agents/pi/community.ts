import type { CommunityPackage } from "./community-package.ts";

// biome-ignore format: a table
export const COMMUNITY: readonly CommunityPackage[] = [
  { name: "pi-aliases", version: "1.0.7", integrity: "sha512-gtFTgtJve6n48Iyw/cyn48kneEwhK0kToNUdc5eBnMVaoJH3ZiHNX5SBOcokwEMfLyaDjMy2KMxfPfA3W0Sprw==",
    entry: "src/index.ts", kind: "command", steps: ["go", "/clear", "on", "/exit"] },
];
