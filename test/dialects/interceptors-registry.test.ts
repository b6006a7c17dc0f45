import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import * as globals from "../../sandbox/guest/interceptors/global.ts";
import * as registries from "../../sandbox/guest/interceptors/registry.ts";
import * as triggers from "../../sandbox/guest/interceptors/trigger.ts";
import { startSession } from "../support/session.ts";
import { ROWS as PIPELINE } from "./interceptors-registry-pipeline.ts";
import { type Library, ROWS as REGISTRY, type Row } from "./interceptors-registry-rows.ts";

const library: Library = { ...registries, ...triggers, ...globals };
const atStart = globals.getGlobalInterceptorRegistry();
const parts: [file: string, rows: Row[]][] = [
  ["interceptors-registry-rows.ts", REGISTRY],
  ["interceptors-registry-pipeline.ts", PIPELINE],
];

describe("the library in a host", () => {
  afterEach(() => globals.resetGlobalInterceptors());

  test("a host that has initialized nothing has no global registry", () => {
    expect(atStart).toBeNull();
  });

  test.each(parts.flatMap(([, rows]) => rows))("%s", async (_claim, run, expected) => {
    expect(await run(library)).toEqual(expected);
  });
});

/** The file's own text with this at its end: a hook that runs the rows inside its isolate and returns their outcomes. */
const RUN = `
import * as library from "cordon/interceptors";
const registry = library.getGlobalInterceptorRegistry();
console.log(JSON.stringify(["a hook finds a global registry, and it is empty", registry?.list()]));
for (const [claim, run] of ROWS) console.log(JSON.stringify([claim, await run(library)]));
export default { id: "end", name: "tool.before", handler: (_input, output) => { output.block = true; } };
`;

describe.each(parts)("the same inside an isolate: %s", (file, rows) => {
  test("each row of the table has the same outcome", async () => {
    const source = readFileSync(new URL(file, import.meta.url), "utf8") + RUN;
    const { log, host, errors } = await startSession({ rows: source });
    expect({ errors, states: host.hooks.map(({ state }) => state) }).toEqual({ errors: [], states: ["active"] });
    expect(log.map((line) => JSON.parse(line.text))).toEqual([
      ["a hook finds a global registry, and it is empty", []],
      ...rows.map(([claim, , expected]) => [claim, expected]),
    ]);
  });
});
