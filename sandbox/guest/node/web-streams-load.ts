import type * as streams from "web-streams-polyfill";
import { host } from "./host.ts";

let loaded: typeof streams | undefined;

export function loadWebStreams(): typeof streams {
  if (loaded) return loaded;
  loaded = host.library("web-streams") as unknown as typeof streams;
  // The build shortened them.
  for (const [name, value] of Object.entries(loaded)) Object.defineProperty(value, "name", { value: name });
  return loaded;
}
