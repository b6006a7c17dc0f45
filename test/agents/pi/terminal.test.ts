import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { onToolCall, temporaryFolder } from "../../support/session.ts";
import { lacksTmux } from "../screen.ts";
import { lacksNamespace, PI_VERSIONS } from "./install.ts";
import { contained } from "./scenes.ts";
import { PiTerminal } from "./terminal.ts";

const missing = lacksNamespace() ?? lacksTmux();

const GATE = onToolCall(`console.log("not onto the screen");
  const choice = await ctx.ui.select("Run " + event.input.command + "?", ["Yes", "No"]);
  if (choice !== "Yes") return { block: true, reason: "the person said " + choice };`);

describe.each(PI_VERSIONS)("pi %s on a terminal", needs(missing), (version) => {
  test("hooks ask on pi's screen, the status line counts, and /cordon answers", async () => {
    const { extension, files } = contained({ gate: GATE });
    const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
    const turns = [bash("touch one"), bash("touch two"), { text: "that was all" }];
    const pi = await PiTerminal.open({
      version,
      folder: temporaryFolder(),
      turns,
      files,
      extensions: { cordon: extension },
    });
    await pi.shows("cordon: 1 hook");
    pi.type("go");
    pi.press("Enter");
    await pi.shows("[hook gate] Run touch one?");
    pi.press("Enter");
    await pi.shows("[hook gate] Run touch two?");
    pi.press("Down");
    pi.press("Enter");
    await pi.shows("that was all");
    await pi.shows("cordon: 1 hook, 1 blocked");
    expect([existsSync(join(pi.work, "one")), existsSync(join(pi.work, "two"))]).toEqual([true, false]);
    pi.type("/cordon why");
    pi.press("Escape");
    pi.press("Enter");
    await pi.shows("because: the person said No");
    expect(pi.read()).not.toContain("not onto the screen");
  });
});
