import { testHook } from "cordon/testing";
import { expect, test } from "vitest";

const path = new URL("./index.ts", import.meta.url).pathname;
const ui = (yes: boolean) => ({
  confirm: async () => yes,
  select: async () => null,
  input: async () => null,
  notify: () => {},
});

test("a force push is blocked if there is nobody to ask, or if they say no", async () => {
  await using alone = await testHook(path);
  expect(await alone.call("bash", { command: "git push --force origin main" })).toMatchObject({ block: true });
  await using refused = await testHook(path, { ui: ui(false) });
  expect(await refused.call("bash", { command: "git push -f" })).toMatchObject({ block: true });
});

test("a force push passes if a person says yes, and other pushes always pass", async () => {
  await using allowed = await testHook(path, { ui: ui(true) });
  expect(await allowed.call("bash", { command: "git push --force" })).toBeUndefined();
  expect(await allowed.call("bash", { command: "git push origin main" })).toBeUndefined();
});
