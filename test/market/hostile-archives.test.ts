import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { unpack } from "../../src/market/archive.ts";
import { temporaryFolder } from "../support/session.ts";
import { BROKEN, SIZES, TYPES } from "./hostile-archives-content.ts";
import { type ArchiveCase, CHARACTERS, COLLISIONS, OTHER_SYSTEMS, TRAVERSAL } from "./hostile-archives-names.ts";
import { entry, folder, gnuLong, MANIFEST, tgz } from "./hostile-tar.ts";
import { unseen } from "./unseen.ts";

const BOMB_PROGRAM = fileURLToPath(new URL("./hostile-bomb-program.ts", import.meta.url));

/** Everything under a folder except folders, sorted. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => !one.isDirectory())
    .map((one) => relative(folder, join(one.parentPath, one.name)).normalize("NFC"))
    .sort();
}

async function refuse({ attack, refusal, beside, unpacked = [] }: ArchiveCase): Promise<void> {
  const place = temporaryFolder();
  writeFileSync(join(place, "outside.txt"), "as it was");
  const target = join(place, "target", "package");
  const refused = await unpack(attack(), target).then(
    () => undefined,
    (error: { code: string; message: string }) => error,
  );
  expect(refused).toMatchObject({ code: "LOAD_FAILED", message: expect.stringMatching(refusal) });
  expect(unseen(refused?.message ?? "")).toEqual([]);
  expect(refused?.message.length).toBeLessThan(700);
  expect(readdirSync(place), "nothing is written, not even the folder").toEqual(["outside.txt"]);
  if (!beside) return;
  const other = join(place, "beside");
  await unpack(beside(), other);
  expect(filesUnder(other).filter((name) => name !== "package.json")).toEqual(
    unpacked.map((name) => name.normalize("NFC")).sort(),
  );
  for (const name of filesUnder(other)) expect(lstatSync(join(other, name)).isFile()).toBe(true);
}

const KINDS: [string, ArchiveCase[]][] = [
  ["names that point outside", TRAVERSAL],
  ["invisible characters", CHARACTERS],
  ["names that are invalid on another system", OTHER_SYSTEMS],
  ["names that are equal", COLLISIONS],
  ["entries that are not files", TYPES],
  ["too much", SIZES],
  ["no tarball", BROKEN],
];

describe.each(KINDS)("%s", (_kind, cases) => {
  test.each(cases)("$name", refuse);
});

test("a name ends at its first NUL, both for the check and for unpacking", async () => {
  const place = temporaryFolder();
  const rest = "\0/../../../outside.txt";
  await unpack(
    tgz(MANIFEST, gnuLong(`package/a.txt${rest}`), entry("package/x"), entry(`package/b.txt${rest}`)),
    join(place, "package"),
  );
  expect(filesUnder(place)).toEqual(["package/a.txt", "package/b.txt", "package/package.json"]);
});

test("modes of a tarball are ignored", async () => {
  const place = join(temporaryFolder(), "package");
  await unpack(
    tgz(
      MANIFEST,
      folder("package/open/", 0o1777),
      folder("package/shut/", 0),
      ...[0, 0o4755, 0o2755, 0o7777].map((mode) => entry(`package/shut/${mode}.ts`, "", { mode })),
    ),
    place,
  );
  const modes = readdirSync(place, { recursive: true, encoding: "utf8" }).map((name) => lstatSync(join(place, name)));
  expect(modes.length).toBe(7);
  for (const status of modes) expect((status.mode & 0o7777).toString(8)).toBe(status.isDirectory() ? "755" : "644");
});

test("a tarball of two megabytes that unpacks to more than a gigabyte does not use that memory", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [BOMB_PROGRAM], { encoding: "utf8", timeout: 50_000 });
  expect(stderr).toBe("");
  const { message, packed, most } = JSON.parse(stdout) as { message: string; packed: number; most: number };
  expect(message).toMatch(/more than 50 MB unpacked/);
  expect(packed).toBeLessThan(4);
  // Including Node itself, and making the bomb.
  expect(most).toBeLessThan(600);
});
