import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";

/** As TypeScript 5 asks whether letters have a case. */
const SWAP =
  "const swapCase = (s) => s.replace(/\\w/g, (ch) => { const up = ch.toUpperCase(); return ch === up ? ch.toLowerCase() : up; }); const fs = require('node:fs');";
const tries = (act: string): string => `${SWAP} try { return ${act}; } catch (e) { return [e.code, e.syscall]; }`;

const FACTS = {
  probe: tries("fs.existsSync(swapCase(__filename))"),
  stat: tries("fs.statSync(swapCase(__filename))"),
  lstat: tries("fs.lstatSync(swapCase(__filename))"),
  quiet: tries("fs.statSync(swapCase(__filename), { throwIfNoEntry: false }) ?? 'none'"),
  later: `${SWAP} return fs.promises.stat(swapCase(__filename)).catch((e) => e.code);`,
};

test("whether letters have a case is answered with yes, without a question or an error", async () => {
  const { ask, errors, audit } = await startFacts(FACTS);
  expect(await ask("probe")).toBe(false);
  expect(await ask("stat")).toEqual(["ENOENT", "stat"]);
  expect(await ask("lstat")).toEqual(["ENOENT", "lstat"]);
  expect(await ask("quiet")).toBe("none");
  expect(await ask("later")).toBe("ENOENT");
  expect(errors).toEqual([]);
  expect(audit.filter(({ outcome }) => outcome === "NOT_GRANTED")).toEqual([]);
});

test.each([
  ["where pi would lie", "process.argv[1]"],
  ["in the folder of it", '"/not-for-hooks"'],
  ["below it", '"/not-for-hooks/dist/modes/interactive/theme"'],
])("what hooks do not have is not there, without a question or an error: %s", async (_what, path) => {
  const { ask, errors, audit } = await startFacts({
    exists: `return require("node:fs").existsSync(${path});`,
    stat: tries(`fs.statSync(${path})`),
    read: tries(`fs.readFileSync(${path})`),
    real: `return require("node:fs").promises.realpath(${path}).catch((e) => e.code);`,
    write: tries(`fs.writeFileSync(${path} + "/x", "")`),
  });
  expect(await ask("exists")).toBe(false);
  expect(await ask("stat")).toEqual(["ENOENT", "stat"]);
  expect(((await ask("read")) as string[])[0]).toBe("ENOENT");
  expect(await ask("real")).toBe("ENOENT");
  expect(((await ask("write")) as string[])[0]).toBe("ENOENT");
  expect(errors).toEqual([]);
  expect(audit.filter(({ capability }) => String(capability).startsWith("fs"))).toEqual([]);
});

// biome-ignore format: a table
const OTHERS: readonly [claim: string, path: string][] = [
  ["its own file", "__filename"],
  ["a file beside it that is not there", '__filename + ".none"'],
  ["its own folder in other case", "swapCase(require('node:path').dirname(__filename))"],
  ["what is beside its folder, in other case", "swapCase(require('node:path').dirname(__filename) + '-secret/x')"],
  ["above it by ..", "swapCase(require('node:path').dirname(__filename)) + '/../x'"],
  ["in one other case alone", "require('node:path').dirname(__filename) + '/' + swapCase('x')"],
  ["elsewhere, in other case", 'swapCase("/etc/passwd")'],
];
test.each(OTHERS)("%s takes a grant as ever", async (_claim, path) => {
  const { ask, errors } = await startFacts({ it: tries(`fs.statSync(${path})`) });
  expect(await ask("it")).toEqual(["NOT_GRANTED", null]);
  expect(errors).toHaveLength(1);
});
