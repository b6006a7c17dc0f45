/** The audit says what was done, however it was asked for. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

const READS = onToolCall(
  `try { fs.readFileSync(event.input.path); } catch (error: any) { return { block: true, reason: error.code + error.message.slice(0, 200) }; }`,
  `import fs from "node:fs";`,
);
const FAR = `${"deep/".repeat(8)}`;

// biome-ignore format: a table
test.each<[claim: string, path: string, says: RegExp]>([
  ["a path that says it all", "src/code.ts", /^read src\/code\.ts$/],
  ["one with detours", "./src//../src/code.ts", /^read \.\/src\/\/\.\.\/src\/code\.ts$/],
  ["one that is as long as may be shown", `${"./".repeat(494)}src/code.ts`.slice(-1000), /src\/code\.ts$/],
  ["one whose end cannot be seen", `${"./".repeat(1100)}src/code.ts`, /…".*src\/code\.ts", which leads to \/work\/src\/code\.ts$/],
  ["one whose middle cannot be seen", `${"./".repeat(400)}src/code.ts${"/.".repeat(400)}`, /, which leads to \/work\/src\/code\.ts$/],
  ["a link", "link", /^read link, which leads to \/work\/src\/code\.ts$/],
  ["a linked folder", "folder/code.ts", /^read folder\/code\.ts, which leads to \/work\/src\/code\.ts$/],
])("a file is on record: %s", async (_claim, path, says) => {
  const grant = { capabilities: { events: { see: ["tool_call"], block: true }, fs: { read: ["$CWD/**"] } } };
  const { call, audit, folder } = await startSession({ gate: { source: READS, grant } });
  const work = join(folder, "work");
  mkdirSync(join(work, "src"));
  mkdirSync(join(work, FAR), { recursive: true });
  writeFileSync(join(work, "src", "code.ts"), "");
  symlinkSync("src/code.ts", join(work, "link"));
  symlinkSync("src", join(work, "folder"));
  expect(await call({ path })).toBeUndefined();
  const [line] = audit.filter(({ capability }) => capability === "fs.read");
  expect(String(line?.value).replaceAll(realpathSync(work), "/work")).toMatch(says);
});

test("each server that a redirect leads to is on record before it is asked", async () => {
  const asked: string[] = [];
  const serve = async (status: number, to = ""): Promise<string> => {
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.host}`);
      response.writeHead(status, to ? { location: to } : {}).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const last = await serve(200);
  const middle = await serve(303, `http://${last}/`);
  const first = await serve(307, `http://${middle}/`);
  const connect = [first, middle, last];
  const source = onToolCall(`await fetch("http://${first}/", { method: "POST", body: "x" });`);
  const grant = { capabilities: { events: { see: ["tool_call"], block: true }, net: { connect } } };
  const { call, audit } = await startSession({ gate: { source, grant } });
  await call("x");
  expect(asked).toEqual([`POST ${first}`, `POST ${middle}`, `GET ${last}`]);
  const lines = audit.filter(({ capability }) => capability?.startsWith("net."));
  expect(lines.map(({ value, outcome }) => [value, outcome])).toEqual([
    [`POST ${first}`, "allowed"],
    [`POST ${middle}, after a redirect`, "allowed"],
    [`GET ${last}, after a redirect`, "allowed"],
  ]);
});
