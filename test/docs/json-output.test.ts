import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { needs } from "../support/needs.ts";
import { compile } from "./compile.ts";
import { pageAt } from "./pages.ts";
import { type Project, sharedMachine } from "./place.ts";

const shared = sharedMachine();
const page = pageAt("docs/commands.md");
const shapes = new Map(
  page.blocks.flatMap(({ words, code }) => (words.has("json") ? [[words.get("json") ?? "", code] as const] : [])),
);

const GATE = `export default (pi: any) => {
  pi.on("tool_call", (event: any, ctx: any) => {
    if (event.input.command === "no") return { block: true, reason: "said no" };
    if (event.input.command === "throw") throw new Error("broke");
    if (event.input.command === "date") return ctx.exec("date", []).then(() => undefined);
  });
};`;
const EVENTS = ["ls", "no", "throw", "date"].map((command) =>
  JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } }),
);
const LIST = JSON.stringify({
  version: 1,
  name: "team",
  hooks: { gate: { spec: "npm:@team/gate@1.0.0", description: "Asks.", publisher: "bot", powers: ["ui"] } },
});
/** Tells the daemon what Gemini CLI tells it. */
const gemini = (name: string, more: object): string => {
  const event = JSON.stringify({ hook_event_name: name, session_id: "s", cwd: "/tmp", ...more });
  const tell = `echo '''${event}''' | cordon hook gemini-cli --event ${name} --note > /dev/null; touch told`;
  // Not below this process: an agent with an open session may not stop the daemon.
  return `setsid -f sh -c '${tell}'; until [ -e told ]; do sleep 0.1; done`;
};

/** What is run, one after the other, for the output of which shape. `person`: with one at a terminal who says yes. */
const STEPS: readonly { shape?: string; run: string; person?: boolean }[] = [
  { shape: "run", run: "cordon run --no-discover --hook gate.ts --json events.jsonl" },
  { run: "cordon run --no-discover --hook gate.ts --record old.jsonl events.jsonl" },
  { shape: "replay", run: "cordon replay old.jsonl --no-discover --json" },
  { shape: "record", run: "cordon record --json && cordon record --out next.jsonl --json" },
  { shape: "record-list", run: "cordon record list --json" },
  { shape: "record-stop", run: "cordon record stop --json" },
  { run: "cordon run --no-discover --hook gate.ts events.jsonl --record" },
  { shape: "record-list", run: "cordon record list --json" },
  { shape: "init", run: "cordon init @me/my-guard --dialect pi --json" },
  { shape: "dev", run: "cordon dev gate.ts --events events.jsonl --once --json" },
  { shape: "dev", run: "cordon dev broken.ts --once --json" },
  { shape: "check", run: "cordon check gate.ts --json" },
  { shape: "check", run: "cordon check broken.ts --json" },
  { shape: "trace", run: "cordon trace gate.ts --events events.jsonl --json" },
  { shape: "trace", run: "cordon trace gate.ts --events events.jsonl --grants grants.json --json" },
  { shape: "add", run: "cordon add ./gate.ts --grant none --json" },
  { shape: "accept", run: "cordon accept --json" },
  { shape: "grant", run: `cordon grant gate env '["CI"]' --json`, person: true },
  { shape: "run", run: "cordon run --json events.jsonl" },
  { shape: "why", run: "cordon why --tail 9 --json" },
  { shape: "disable", run: "cordon disable gate --project --json", person: true },
  { shape: "disable", run: "cordon enable gate --project --json", person: true },
  { shape: "disable", run: "cordon disable gate --json", person: true },
  { shape: "disable", run: "cordon enable gate --json", person: true },
  { shape: "policy-check", run: "cordon policy check wrong.json --json" },
  { shape: "policy-check", run: "cordon policy check policy.json --json" },
  { shape: "list", run: "cordon list --json" },
  { shape: "list", run: "CORDON_POLICY=$PWD/policy.json cordon list --json" },
  { shape: "revoke", run: "cordon revoke gate env --json" },
  { shape: "restart", run: "cordon restart gate --json" },
  { shape: "update", run: "cordon update --json" },
  { run: "echo '// more' >> gate.ts" },
  { shape: "update", run: "cordon update --json" },
  { shape: "add", run: "cordon add ./gate.ts --grant none --json" },
  { shape: "remove", run: "cordon remove gate --json", person: true },
  { shape: "index-key", run: "cordon index key key.pem --json" },

  { shape: "index-build", run: "cordon index build list.json --key key.pem --out index.json --json" },
  { shape: "search", run: "cordon search gate --index index.json --json 2> /dev/null" },
  { shape: "search", run: "cordon info gate --json 2> /dev/null" },
  { shape: "index-list", run: "cordon index list --json" },
  { shape: "index-forget", run: "cordon index forget index.json --json", person: true },
  { shape: "audit", run: "cordon audit --json" },
  { shape: "audit-verify", run: "cordon audit --verify --json" },
  { shape: "report", run: "cordon report --json" },
  { shape: "report", run: "cordon report --since 1d --out page.html --json" },
  { shape: "install-list", run: "cordon install --json" },
  { run: "mkdir -p ~/.gemini" },
  { shape: "install", run: "cordon install gemini-cli --dry-run --json" },
  { shape: "install", run: "cordon install gemini-cli --json", person: true },
  { shape: "install", run: "cordon uninstall gemini-cli --dry-run --json" },
  { shape: "uninstall-all", run: "cordon uninstall --dry-run --json" },
  {
    run: "mkdir -p ~/.pi/agent/extensions && cp gate.ts ~/.pi/agent/extensions/ && echo 1 > ~/.pi/agent/extensions/b.txt",
  },
  { shape: "adopt", run: "cordon adopt pi --dry-run --json" },
  { shape: "adopt-undo", run: "cordon adopt pi --undo --dry-run --json" },
  { shape: "daemon-status", run: "cordon daemon status --json" },
  { run: gemini("SessionStart", { source: "startup" }) },
  { shape: "daemon-status", run: "cordon daemon status --json" },
  { shape: "pending", run: "cordon pending --json" },
  { shape: "daemon-stop", run: "cordon daemon stop --json", person: true },
  { shape: "doctor", run: "cordon doctor --json" },
];

/** The JSON lines of each step that has a shape. */
async function outputs(project: Project): Promise<{ shape: string; line: string }[]> {
  const found: { shape: string; line: string }[] = [];
  for (const { shape, run, person = false } of STEPS) {
    const { outputs } = await project.shell([run], person);
    const lines = (outputs[0] ?? "").split("\n").filter((line) => line.startsWith("{") || line.startsWith("["));
    if (shape !== undefined) expect(lines, `${run}: ${outputs[0]}`).not.toEqual([]);
    if (shape !== undefined) found.push(...lines.map((line) => ({ shape, line })));
  }
  return found;
}

const nameIn = (code: string): string => /^(?:interface|type) (\w+)/m.exec(code)?.[1] ?? "";

/** A file for each shape: its block, and each output as a literal, which may have no member that the shape lacks. */
const files = (found: readonly { shape: string; line: string }[]): Record<string, string> =>
  Object.fromEntries(
    [...shapes].map(([shape, code]) => {
      const lines = found.filter((one) => one.shape === shape).map(({ line }) => line);
      const literals = lines.map((line, at) => `const output${at}: ${nameIn(code)} = ${line};`);
      const change = shape === "update" ? "interface Change { [more: string]: unknown }" : "";
      return [`${shape}.ts`, `${code}\n${change}\n${literals.join("\n")}\n`];
    }),
  );

/** `demo`: `test/cli/commands.test.ts` has its members. `runtime install` downloads: its type is compared below. */
const ELSEWHERE = ["demo", "runtime-install"];

const RUNTIME = `import type { Runtime } from ${JSON.stringify(join(PACKAGE_ROOT, "dist", "src", "runtime", "locate.js"))};
declare const made: Runtime, said: RuntimeInstalled;
const one: RuntimeInstalled = made, other: Runtime = said;`;

test("each command prints what its page says", {
  ...needs(process.platform !== "linux" && "a terminal of script"),
  timeout: 240_000,
}, async () => {
  const project = shared.machine.project();
  for (const [name, text] of Object.entries({
    "gate.ts": GATE,
    "broken.ts": "export default 7;",
    "events.jsonl": `${EVENTS.join("\n")}\n`,
    "list.json": LIST,
    "grants.json": '{"version":1,"hooks":{"./gate.ts":{}}}',
    "wrong.json": '{"version":2}',
    "policy.json": '{"version":1,"sources":["npm:a"],"maximum":{"ui":[]},"required":["b"]}',
  }))
    project.write(name, text);
  const found = await outputs(project);
  const said = new Set(found.map(({ shape }) => shape));
  expect([...shapes.keys()].filter((shape) => !said.has(shape))).toEqual(ELSEWHERE);
  const all = files(found);
  all["runtime-install.ts"] += RUNTIME;
  expect(await compile(shared.machine, "outputs", all)).toBe("");
});

test("a member that is missing, wrong or unknown is found out", async () => {
  const lines = ['{"key":"a","more":1}', '{"key":1}', "{}"].map((line) => ({ shape: "index-key", line }));
  const errors = await compile(shared.machine, "wrong-outputs", { "a.ts": files(lines)["index-key.ts"] ?? "" });
  expect(errors.trim().split("\n")).toHaveLength(lines.length);
});
