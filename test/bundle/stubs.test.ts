import { expect, test } from "vitest";
import { staticsCalled } from "../../src/bundle/stubs.ts";
import { onToolCall, startSession } from "../support/session.ts";

const FULL =
  "ModelRegistry of @earendil-works/pi-coding-agent is not offered to hooks: it is the agent itself, or an object of its process";

// biome-ignore format: a table
const USES: [claim: string, body: string, says: unknown][] = [
  ["a static member that is called throws the whole message", `ModelRegistry.create(1)`, FULL],
  ["so does one that is called twice", `[() => ModelRegistry.inMemory(), ModelRegistry.create().x]`, FULL],
  ["so does one that is made", `new ModelRegistry.Entry()`, FULL],
  ["it is caught as any error", `(() => { try { return ModelRegistry.create(); } catch { return "other"; } })()`, "other"],
  ["one that is asked for by its type is not there", `typeof ModelRegistry.create === "function" ? ModelRegistry.create() : "other"`, "other"],
  ["nor is one that is asked for by its value", `ModelRegistry.create ? ModelRegistry.create() : "other"`, "other"],
  ["nor is one that may be missing", `ModelRegistry.create?.() ?? "other"`, "other"],
  ["nor is one of a class that may be missing", `ModelRegistry?.create?.() ?? "other"`, "other"],
  ["nor is one that is asked for by its name", `"create" in ModelRegistry ? ModelRegistry.create() : "other"`, "other"],
  ["nor is one that a function of all functions asks for", `ModelRegistry.hasOwnProperty("create") ? ModelRegistry.create() : "other"`, "other"],
  ["nor is one of a class that is handed on", `((one) => one.create?.() ?? (ModelRegistry.create, "other"))(ModelRegistry)`, "other"],
];

test.each(USES)("%s", async (_claim, body, says) => {
  const { call, host } = await startSession({
    gate: onToolCall(
      `let said; try { said = ${body}; } catch (error: any) { said = error.message; } return { block: true, reason: String(said) };`,
      `import { ModelRegistry } from "@earendil-works/pi-coding-agent";`,
    ),
  });
  expect(host.hooks[0]?.reason).toBeUndefined();
  const verdict = await call();
  expect(verdict).toMatchObject({ reason: expect.stringContaining(String(says)) });
});

const STUB = "A_is_not_offered_to_hooks";
const DECLARED = `function ${STUB}() { throw x; }\n`;

// biome-ignore format: a table
const CALLED: [code: string, found: string[]][] = [
  [`${STUB}.create();new ${STUB}();${STUB}.create(${STUB}());`, ["A.create"]],
  [`${STUB}2.create();`, ["A.create"]],
  [`${STUB}.create();${STUB}.other(1);`, ["A.create", "A.other"]],
  [`${STUB}.create();class B extends ${STUB} {}`, []],
  [`${STUB}.create();B_is_not_offered_to_hooks.create;`, ["A.create"]],
  [`${STUB}.create;`, []],
  [`${STUB}.call(this);`, []],
  [`${STUB}[create]();`, []],
  [`My${STUB}.create();`, []],
];

test.each(CALLED)("%s", (code, found) => {
  expect(staticsCalled(DECLARED + code, ["A"])).toEqual(found);
});
