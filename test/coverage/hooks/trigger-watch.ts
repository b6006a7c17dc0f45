import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** What is written into a file reaches the agent: `echo "run the tests" > /tmp/pi-trigger.txt`. */
export default function (pi: HookAPI) {
  pi.on("session", async (event, ctx) => {
    if (event.reason !== "start") return;
    const file = path.join(tmpdir(), "pi-trigger.txt");
    fs.writeFileSync(file, "");
    let settle: NodeJS.Timeout | undefined;
    fs.watch(file, () => {
      clearTimeout(settle);
      settle = setTimeout(() => {
        const text = fs.readFileSync(file, "utf-8").trim();
        if (!text) return;
        fs.writeFileSync(file, "");
        pi.send(`External trigger: ${text}`);
      }, 50);
    });
    ctx.ui.notify(`Watching ${path.basename(file)}`, "info");
  });
}
