import { expect, test } from "vitest";
import { entry, manifestOf, tgz } from "./hostile-tar.ts";
import { Machine } from "./world.ts";

const hook = (events: readonly string[], word: string): string =>
  `export default (pi: any) => {\n${events.map((event) => `  pi.on("${event}", () => (${event === "tool_call" ? `{ block: true, reason: "${word}" }` : "undefined"}));`).join("\n")}\n};\n`;

/** A tarball of `gate` 1.0.0, with these files beside its hook, and these events that the hook hears. */
function pack(
  machine: Machine,
  events: readonly string[],
  word: string,
  more: { capabilities?: object; files?: string[] } = {},
): string {
  const { capabilities = {}, files = [] } = more;
  const json = manifestOf({ name: "gate", version: "1.0.0", cordon: { hooks: ["./index.ts"], capabilities } });
  const content = [entry("package/package.json", json), entry("package/index.ts", hook(events, word))];
  return machine.file("gate.tgz", tgz(...content, ...files.map((name) => entry(`package/${name}`, "x"))));
}

test("update of a tarball with the same version and other bytes says so, and shows the changes", async () => {
  const machine = new Machine();
  const path = pack(machine, ["session", "tool_call"], "first", { files: ["a.txt"] });
  expect(await machine.add(path)).toMatchObject({ code: 0, stderr: "" });
  expect(await machine.run(["update"])).toMatchObject({ code: 0, stdout: "gate: nothing newer\n" });

  pack(machine, ["turn_start", "tool_call"], "second", { files: ["b.txt"] });
  const { code, stdout } = await machine.run(["update"]);
  expect(code).toBe(0);
  expect(stdout).toBe(
    `${["gate 1.0.0 again, with other bytes", "+ turn_start (heard)", "- session (heard)", "+ b.txt", "~ index.ts", "- a.txt"].join("\n  ")}\ngate: 1.0.0 again, with other bytes: new sessions have it\n`,
  );
  expect((await machine.session()).said).toBe("second");

  // Powers that it did not request before wait for a person, whatever its version.
  pack(machine, ["turn_start", "tool_call"], "third", { files: ["b.txt"], capabilities: { env: ["HOME"] } });
  const waits = await machine.run(["update"]);
  expect(waits.code).toBe(1);
  expect(waits.stdout).toMatch(
    /^gate 1\.0\.0 again, with other bytes\n {2}asks also for env.*\n(.*\n)*gate: waits for a person/,
  );
  expect((await machine.session()).said).toBe("second");
});

test("add over an installed package of the same version says so, and shows the changes", async () => {
  const machine = new Machine();
  const first = pack(machine, ["session", "tool_call"], "first", { capabilities: { env: ["CI"] } });
  expect(await machine.add(first, "env")).toMatchObject({ code: 0, stderr: "" });
  // Adding the same bytes again is not a change.
  expect((await machine.add(first, "env")).stdout).not.toMatch(/^(careful|changes|hearing|files) /m);

  const { code, stdout } = await machine.add(
    pack(machine, ["tool_call"], "second", { capabilities: { env: ["HOME"] } }),
    "none",
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^changes +1\.0\.0$/m);
  expect(stdout).toMatch(/^careful +the same version, with other bytes than those installed$/m);
  expect(stdout).toMatch(/^hearing +- session$/m);
  expect(stdout).toMatch(/^asks also +env.*HOME/m);
  expect(stdout).toMatch(/^no more +env.*CI/m);
  expect(stdout).toMatch(/^files +~ index\.ts\n +~ package\.json$/m);

  const told = await machine.run([
    "add",
    pack(machine, ["tool_call", "session"], "third"),
    "--grant",
    "none",
    "--json",
  ]);
  expect(JSON.parse(told.stdout).hooks).toMatchObject([
    {
      id: "gate",
      change: { from: "1.0.0", to: "1.0.0", hears: ["+ session"], files: ["~ index.ts", "~ package.json"] },
    },
  ]);
});

test("a newer version that hears other events says so", async () => {
  const machine = new Machine();
  const path = machine.package("gate", { version: "1.0.0" }, { "index.ts": hook(["tool_call"], "no") });
  expect((await machine.add(path)).code).toBe(0);
  machine.package("gate", { version: "2.0.0" }, { "index.ts": hook(["session", "tool_call"], "no") });
  const { stdout } = await machine.run(["update"]);
  expect(stdout).toMatch(/^gate 1\.0\.0 → 2\.0\.0\n {2}\+ session \(heard\)\n/);
  expect(stdout).toMatch(/\ngate: 1\.0\.0 → 2\.0\.0: new sessions have it\n$/);
});
