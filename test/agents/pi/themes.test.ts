import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/session.ts";
import { lacksTmux } from "../screen.ts";
import { COMMON } from "./examples.ts";
import { installPi, lacksNamespace } from "./install.ts";
import { PiTerminal } from "./terminal.ts";

const missing = lacksNamespace() ?? lacksTmux();

/** macOS says that it is light. */
const OSASCRIPT = { "home/bin/osascript": "#!/bin/sh\necho false\n" };
const POWERS = { exec: [{ program: "osascript", args: ["-e", { kind: "text" }], fullAccess: true }] };

test.each([["as it is"], ["within Cordon"]])(
  "mac-system-theme.ts, %s, gives pi the theme that macOS has",
  needs(missing),
  async (way) => {
    const folder = temporaryFolder();
    const pi = await installPi("1.5.2");
    const path = join(pi.folder, "examples", "extensions", "mac-system-theme.ts");
    const hooks = [{ path, id: "example", grant: { capabilities: { ...COMMON, ...POWERS } } }];
    const extensions = {
      cordon: `import { cordon } from "CORDON";
        export default cordon({ ...${JSON.stringify({ discover: false, hooks })}, home: process.env.HOME + "/.cordon" });`,
    };
    await PiTerminal.open({
      version: "1.5.2",
      folder,
      files: OSASCRIPT,
      ...(way === "as it is" ? { extensionPaths: [path] } : { extensions }),
    });
    const settings = join(folder, "home", ".pi", "agent", "settings.json");
    await expect
      .poll(() => existsSync(settings) && JSON.parse(readFileSync(settings, "utf8")).theme, { timeout: 60_000 })
      .toBe("light");
  },
);
