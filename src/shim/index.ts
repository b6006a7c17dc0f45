import { runShim } from "./shim.ts";

/** As the entry script names them: see `entryScript`. */
const [home = "", start = "", agent = "", kind = "", event = "", parent = "", wait = ""] = process.argv.slice(2);

void runShim({
  home,
  daemon: [process.execPath, start],
  agent,
  kind: kind === "note" ? "note" : "gate",
  event,
  parent: Number(parent),
  wait: Number(wait),
});
