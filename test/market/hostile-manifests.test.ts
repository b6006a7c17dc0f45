import { describe, expect, test } from "vitest";
import { sourceOf } from "../../src/market/source.ts";
import { stage, unstage } from "../../src/market/stage.ts";
import { type ManifestCase, NAMES, PLACES, SHAPES } from "./hostile-manifests-shapes.ts";
import { unseen } from "./unseen.ts";
import { Machine, NO_NAMES } from "./world.ts";

async function refuse({ attack, refusal, beside }: ManifestCase): Promise<void> {
  const machine = new Machine();
  const around = { home: machine.home, node: process.execPath, npm: {}, progress: () => {} };
  const refused = await stage(sourceOf(machine.file("attack.tgz", attack()), machine.work), around).then(
    () => undefined,
    (error: { code: string; message: string }) => error,
  );
  expect(refused).toMatchObject({ code: expect.stringMatching(/^(BAD_MANIFEST|LOAD_FAILED)$/) });
  expect(refused?.message).toMatch(refusal);
  expect(unseen(refused?.message ?? "")).toEqual([]);
  expect(refused?.message).not.toContain("\n");
  expect(refused?.message.length).toBeLessThan(1000);
  expect(machine.names()).toEqual(NO_NAMES);
  if (!beside) return;
  const staged = await stage(sourceOf(machine.file("beside.tgz", beside()), machine.work), around);
  expect(staged.hooks.length).toBeGreaterThan(0);
  unstage(staged);
  expect(machine.names()).toEqual(NO_NAMES);
}

describe("a manifest of a wrong shape", () => {
  test.each(SHAPES)("$name", refuse);
});

describe("names and versions", () => {
  test.each(NAMES)("$name", refuse);
});

describe("paths of hooks", () => {
  test.each(PLACES)("$name", refuse);
});
