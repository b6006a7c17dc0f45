import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shownName } from "../../src/base/text.ts";
import { cordon } from "../support/command.ts";
import { temporaryFolder } from "../support/session.ts";

/** Names that look like `sp.ts` or each other where something is left out. */
const NAMES = ["sp.ts", "\u202esp.ts", "s\u200bp.ts", "sp\u001b[31m.ts", "a b.ts", "a  b.ts", "a\nb.ts"];
const SHOWN = [
  ...["sp.ts", "\\u202esp.ts", "s\\u200bp.ts", "sp\\u001b[31m.ts"],
  ...["a b.ts", "a \\u0020b.ts", "a\\u000ab.ts"],
];

test("different names are shown as different ones", () => {
  expect(NAMES.map((name) => shownName(name))).toEqual(SHOWN);
  expect(shownName("größe 读取 👩‍🚀.ts")).toBe("größe 读取 👩‍🚀.ts");
});

test.each([["list"], ["doctor"], ["accept"]])(
  "cordon %s shows a project's hooks by different names",
  async (command) => {
    const folder = temporaryFolder();
    const hooks = join(folder, ".pi", "hooks");
    mkdirSync(hooks, { recursive: true });
    for (const name of NAMES) writeFileSync(join(hooks, name), "export default () => {};");
    const { stdout, stderr } = await cordon([command], { cwd: folder, home: join(folder, "home") });
    const said = `${stdout}${stderr}`.replace(/\n +/g, " ");
    // A plain name may be shorter.
    for (const shown of SHOWN.slice(1)) expect(said).toContain(`/${shown}`);
  },
);
