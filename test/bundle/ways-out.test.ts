import { join } from "node:path";
import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { writeFiles } from "../support/session.ts";
import { filesWith, hookFolder, startFolder } from "./hook-folder.ts";
import { MARKER, type WayOut, writeSecrets } from "./ways-out.ts";
import { hardLink, links, maps, odd, packages } from "./ways-out-by-files.ts";
import { expressions, specifiers } from "./ways-out-by-specifier.ts";

const waysOut = [...specifiers, ...expressions, ...links, ...packages, ...maps, ...odd];

async function tryWayOut({ files, prepare, entry }: WayOut) {
  const folder = hookFolder({});
  const [hook, outside] = [join(folder, "hook"), join(folder, "outside")];
  writeSecrets(folder);
  writeFiles(
    hook,
    Object.fromEntries(Object.entries(files).map(([path, content]) => [path, content.replaceAll("OUTSIDE", outside)])),
  );
  prepare?.(hook, outside);
  const session = await startFolder(folder, entry);
  const { state, reason = "" } = session.hook();
  const said = state === "active" ? ((await session.reason()) ?? "") : "";
  const told = JSON.stringify([session.errors, session.log, session.host.hooks]);
  return { folder, state, reason, said, told, code: /\((\w+)\)/.exec((await session.reason()) ?? "")?.[1] };
}

test.each(sampled(waysOut))("nothing outside the folder gets into a bundle: $name", async (way) => {
  const { folder, state, reason, said, told, code } = await tryWayOut(way);
  expect(filesWith(join(folder, "home"), MARKER)).toEqual([]);
  expect(`${said}${told}`).not.toContain(MARKER);
  if (way.expected === "harmless") {
    expect(state, reason).toBe("active");
  } else {
    expect({ state, code, reason }).toMatchObject({
      state: "failed",
      code: way.expected === "refused" ? "IMPORT_REFUSED" : "LOAD_FAILED",
    });
    expect(reason).toMatch(/^\S*\.(ts|tsx|js):\d+:\d+: /);
  }
});

test("the marker search finds a marker that is there: a hard link counts as a file of the folder", async () => {
  const { folder, state, said } = await tryWayOut(hardLink);
  expect({ state, said }).toMatchObject({ state: "active", said: expect.stringContaining(MARKER) });
  expect(filesWith(join(folder, "home"), MARKER)).not.toEqual([]);
});
