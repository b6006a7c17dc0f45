/** The streams of the web's standard in JavaScript. They are evaluated on first use. */
import type * as streams from "web-streams-polyfill";

declare const require: (name: "web-streams-polyfill/ponyfill/es2018") => typeof streams;

let loaded: typeof streams | undefined;

export function loadWebStreams(): typeof streams {
  if (loaded) return loaded;
  loaded = require("web-streams-polyfill/ponyfill/es2018");
  // The build shortened them.
  for (const [name, value] of Object.entries(loaded)) Object.defineProperty(value, "name", { value: name });
  return loaded;
}
