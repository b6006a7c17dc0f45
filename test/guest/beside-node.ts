import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startSession, writeFiles } from "../support/session.ts";
import { UNHURRIED } from "../support/unhurried.ts";
import { DIFFERENT } from "./node-differences.ts";

type Grant = Exclude<Parameters<typeof startSession>[0][string], string>["grant"];
type Powers = NonNullable<NonNullable<Grant>["capabilities"]>;

/** A question to a hook and to plain Node, and their answers if they differ on purpose. */
export interface Question {
  name: string;
  /**
   * An expression, which may wait. `caught` gives what a function throws, `rejected` what a promise rejects with, `within`
   * the value of an async function or `"never"`.
   */
  ask: string;
  /** Why a hook gets another answer, and which. */
  differs?: { reason: string; cordon: unknown };
}

export interface Subject {
  /** Imports and other code of the module that asks. */
  top: string;
  questions: readonly Question[];
  /** Powers of the hook besides events. */
  powers?: Powers;
  /** Fills the working folder that both run in. */
  prepare?: (cwd: string) => void;
  /** Variables that the host and Node's process have, or lack. */
  env?: Record<string, string | undefined>;
}

/** An error as answers show it: by name and code. */
export const error = (name: string, code?: string) => ({ "#": name, ...(code === undefined ? {} : { code }) });

/** Shows any answer as JSON. Values that JSON lacks become `{ "#": kind, ... }`. */
const SHOWING = `
const shown = (value: any): any => {
  if (value === undefined) return { "#": "undefined" };
  if (typeof value === "function") return { "#": "function" };
  if (typeof value === "symbol") return { "#": String(value) };
  if (typeof value === "bigint") return { "#": "bigint", value: String(value) };
  if (typeof value === "number" && !Number.isFinite(value)) return { "#": String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return { "#": value.name, ...((value as any).code === undefined ? {} : { code: (value as any).code }) };
  if (ArrayBuffer.isView(value)) return { "#": Buffer.isBuffer(value) ? "Buffer" : value.constructor.name, bytes: [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)].map((b) => b.toString(16).padStart(2, "0")).join("") };
  if (Array.isArray(value)) return value.map(shown);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shown(member)]));
};
const caught = (act: () => unknown): unknown => { try { return act(); } catch (error) { return error; } };
const rejected = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error) => error);
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const within = (act: () => Promise<unknown>, ms = 8000): Promise<unknown> => {
  let timer: any;
  return Promise.race([act(), new Promise((done) => { timer = setTimeout(() => done("never"), ms); })]).finally(() => clearTimeout(timer));
};
const answer = async (name: string): Promise<unknown> => {
  try { return shown(await (questions[name] as any)()); } catch (error: any) { return { threw: shown(error) }; }
};
`;

const sourceOf = ({ top, questions }: Subject): string => {
  const entries = questions.map(({ name, ask }) => `  ${JSON.stringify(name)}: async () => (${ask}),`);
  return `${top}\n${SHOWING}\nconst questions: Record<string, () => Promise<any>> = {\n${entries.join("\n")}\n};\n`;
};

const HOOK = `export default (pi: any) => pi.on("tool_call", async (event: any) => { event.input.told = await answer(event.input.name); });\n`;
/** With a timer that keeps it alive while it waits. */
const PROGRAM = `setInterval(() => {}, 1000);
const told: Record<string, unknown> = {};
for (const name of Object.keys(questions)) told[name] = await answer(name);
process.stdout.write("\\n" + JSON.stringify(told), () => process.exit());\n`;

type Answers = Record<string, unknown>;

/** Both sets of answers, in one folder, each from a process of its own. */
async function answersTo(subject: Subject): Promise<{ cordon: Answers; node: Answers }> {
  expect(process.version, "plain Node 26 is the measure").toMatch(/^v26\./);
  const source = sourceOf(subject);
  for (const [name, value] of Object.entries(subject.env ?? {})) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const events = { see: ["*"], block: true, cancel: true, rewriteInput: ["*"] };
  const session = await startSession({
    asked: { source: source + HOOK, grant: { capabilities: { events, ...subject.powers }, limits: UNHURRIED } },
  });
  expect(session.host.hooks[0], session.host.hooks[0]?.reason).toMatchObject({ state: "active" });
  const cwd = join(session.folder, "work");
  subject.prepare?.(cwd);
  const cordon: Answers = {};
  for (const { name } of subject.questions) {
    const outcome = await session.call({ name });
    cordon[name] = outcome && "input" in outcome ? outcome.input.told : outcome;
  }
  writeFiles(session.folder, { "node.mts": source + PROGRAM });
  // This process goes on meanwhile: servers that both ask may be in it.
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", join(session.folder, "node.mts")], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { cordon, node: JSON.parse(stdout.split("\n").at(-1) as string) };
}

/** One test per question: a hook in a sandbox answers like plain Node, except for differences on purpose. */
export function besideNode(title: string, subject: Subject): void {
  let answers: ReturnType<typeof answersTo> | undefined;
  describe(title, () => {
    const asked = async (): Promise<Record<"cordon" | "node", Answers>> => {
      answers ??= answersTo(subject);
      return answers;
    };
    const known = subject.questions.filter(({ name }) => DIFFERENT.has(name));
    const others = subject.questions.filter(({ name }) => !DIFFERENT.has(name));
    test.for(known)("differs from Node without a reason: $name", async ({ name }) => {
      const { cordon, node } = await asked();
      expect(cordon[name], "no difference any more: take it from the list").not.toEqual(node[name]);
    });
    test.for(others)("$name", async ({ name, differs }) => {
      const { cordon, node } = await asked();
      if (!differs) {
        expect(cordon[name]).toEqual(node[name]);
        return;
      }
      expect(cordon[name], differs.reason).toEqual(differs.cordon);
      expect(node[name], "no difference any more").not.toEqual(differs.cordon);
    });
  });
}
