import { besideNode } from "./beside-node.ts";

besideNode("node:module in a hook and in Node", {
  top: `import module, { createRequire, isBuiltin } from "node:module";`,
  questions: [
    {
      name: "places that a require cannot be for",
      ask: `["x", "./x.js", 5, undefined, "http://x/", {}].map((from: any) => caught(() => createRequire(from)))`,
    },
    {
      name: "names that are none, and what is not there",
      ask: `[5, "", undefined, {}, "./none.js", "none-at-all"].map((id: any) => caught(() => createRequire("/nowhere/x.js")(id)))`,
    },
    {
      name: "resolve",
      ask: `["fs", "node:fs", "./none.js"].map((id) => caught(() => createRequire("/nowhere/x.js").resolve(id)))`,
    },
    {
      name: "what is built in",
      ask: `["fs", "node:fs", "sqlite", "node:sqlite", "node:test", "test", "fs/promises", "nope", "", 5, "node:nope"].map((name: any) => isBuiltin(name))`,
    },
    {
      name: "the list of what is built in",
      ask: `["assert", "fs/promises", "worker_threads", "zlib"].map((name) => module.builtinModules.includes(name))`,
    },
  ],
});
