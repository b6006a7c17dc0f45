import type { Way } from "./env-agent.ts";

const BRIDGE = `const host = (globalThis as any)[Symbol.for("cordon.host")];`;
const SHELL = { program: "sh", args: ["-c", { kind: "text" as const }], fullAccess: true };
const NAMES = `["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]`;
/** Evaluates each of these texts as code. */
const codes = (...texts: string[]): string =>
  `return [${texts.join(", ")}].map((act) => { try { return String(act()); } catch (error: any) { return error?.code ?? error?.name; } }).join(" ");`;

/** Ways to an API key that the agent has in its environment, for hooks that were not granted it. */
export const WAYS: readonly Way[] = [
  {
    name: "process.env, read in every way",
    body: `const e: any = process.env; return JSON.stringify([${NAMES}.map((n) => [e[n], n in e, Object.getOwnPropertyDescriptor(e, n), Reflect.get(e, n)]), Object.keys(e), Object.entries(e), { ...e }, Object.assign({}, e)]);`,
    powers: { env: ["CORDON_UNSET", "ANTHROPIC_MODEL", "ANTHROPIC_BASE*"] },
    gets: "found [[[null,false,null,null],[null,false,null,null]],[],[],{},{}]",
  },
  {
    name: "names that differ slightly from granted ones",
    body: `return JSON.stringify(["anthropic_api_key", "ANTHROPIC_API_KEY\\0", "ANTHROPIC_MODEL\\0ANTHROPIC_API_KEY", "ANTHROPIC_MODEL=ANTHROPIC_API_KEY", " ANTHROPIC_API_KEY", "ANTHROPIC_*", "*", "", "__proto__", "ANTHROPIC_MODEL*"].map((n) => process.env[n] ?? null));`,
    powers: { env: ["ANTHROPIC_MODEL", "X_*"] },
    gets: `found ${JSON.stringify(Array(10).fill(null))}`,
  },
  {
    name: "a direct request to the host",
    body: `${BRIDGE} return ${NAMES}.map((n) => { try { return host.sync("env.get", [n]); } catch (error: any) { return error.code; } }).join(" ") + JSON.stringify(host.sync("env.names", []));`,
    powers: { env: ["CORDON_UNSET_*"] },
    gets: "found NOT_GRANTED NOT_GRANTED[]",
  },
  {
    name: "a direct request for a list of names",
    body: `${BRIDGE} return host.sync("env.get", [["ANTHROPIC_API_KEY"]]);`,
    gets: /TypeError: env\./,
  },
  {
    name: "a direct request with a grant of the hook's own",
    body: `${BRIDGE} return host.sync("env.names", [["*"]]);`,
    gets: /TypeError: env\./,
  },
  {
    name: "a direct request that does not wait",
    body: `${BRIDGE} return await host.call("env.get", ["ANTHROPIC_API_KEY"]);`,
    gets: /TypeError: env\./,
  },
  {
    name: "the model's key",
    body: `${BRIDGE} return await host.call("model.resolveApiKey", [{ provider: "anthropic", id: "x" }]);`,
    gets: "found NOT_GRANTED",
  },
  {
    name: "arrays of the hook's that claim that all is granted",
    body: `Array.prototype.includes = () => true; Array.prototype.some = () => true; String.prototype.startsWith = () => true; Map.prototype.has = () => false; return JSON.stringify(${NAMES}.map((n) => process.env[n] ?? null));`,
    powers: { env: ["CORDON_UNSET_*"] },
    gets: "found [null,null]",
  },
  {
    name: "code from strings",
    body: codes(
      ...[
        `() => [].constructor.constructor("return process.env")()`,
        `() => new Function("return globalThis.process")()`,
      ],
      ...[`() => (0, eval)("process")`, `() => (async () => {}).constructor("return process")()`],
      `() => setTimeout("process" as any)`,
    ),
    gets: "found EvalError EvalError EvalError EvalError TypeError",
  },
  {
    name: "Node's internals",
    body: codes(
      ...["binding", "dlopen", "getBuiltinModule", "_linkedBinding"].map((n) => `() => (process as any).${n}("os")`),
      ...[`() => (process as any).mainModule.require("os")`, `() => (process as any).report.getReport()`],
      `() => (globalThis as any).process.env.ANTHROPIC_API_KEY`,
    ),
    gets: /^found ERR_FEATURE_UNAVAILABLE_ON_PLATFORM ERR_FEATURE_UNAVAILABLE_ON_PLATFORM( TypeError){4} undefined$/,
  },
  {
    name: "all objects that the hook can reach",
    body: `const seen = new Set<any>(); const texts: string[] = []; const visit = (value: any, depth: number): void => {
      if (typeof value === "string") { texts.push(value); return; }
      if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value) || depth > 12) return;
      seen.add(value); if (typeof value === "function") texts.push(Function.prototype.toString.call(value));
      for (const key of Reflect.ownKeys(value)) { texts.push(String(key)); try { visit(value[key], depth + 1); } catch {} }
      visit(Object.getPrototypeOf(value), depth + 1);
    };
    for (const root of [globalThis, ctx, event, process, new Error("x"), ${BRIDGE.slice(13, -1)}]) visit(root, 0);
    return [texts.length > 500, texts.filter((text) => text.includes("sk-ant-"))];`,
    gets: "found [true,[]]",
  },
  {
    name: "stack frames",
    body: `let frames: any; Reflect.set(Error, "prepareStackTrace", (_: any, all: any) => { frames = all; return ""; }); void new Error("x").stack; return JSON.stringify((Array.isArray(frames) ? frames : []).map((f: any) => [typeof f.getThis?.(), typeof f.getFunction?.()]));`,
    gets: "found []",
  },
  {
    name: "files that show the environment of processes",
    top: 'import fs from "node:fs";',
    body: `return ["/proc/self/environ", "/proc/thread-self/environ", "/proc/1/environ", "/proc/" + event.input.agent + "/environ", "/proc/self/cmdline", "/dev/fd/3"].map((p) => { try { return fs.readFileSync(p, "utf8"); } catch (error: any) { return error.code; } }).join(" ");`,
    powers: { fs: { read: ["/**", "/proc/**"] } },
    gets: `found ${Array(6).fill("NOT_GRANTED").join(" ")}`,
  },
  {
    name: "a link to such a file, read and copied",
    top: 'import fs from "node:fs"; import { readFile } from "node:fs/promises";',
    body: `const all: any[] = []; for (const act of [() => fs.readFileSync("link", "utf8"), () => fs.copyFileSync("link", "copy"), () => readFile("link"), () => fs.renameSync("link", "moved")]) try { all.push(await act()); } catch (error: any) { all.push(error.code); } return all.slice(0, 3).join(" ");`,
    powers: { fs: { read: ["$CWD/**"], write: ["$CWD/**"] } },
    gets: "found NOT_GRANTED NOT_GRANTED NOT_GRANTED",
  },
  {
    name: "a granted program that shows its environment",
    top: 'import { execFileSync } from "node:child_process";',
    body: `return [["sh", ["-c", "echo [$ANTHROPIC_API_KEY]; env | grep -c sk-ant-"]]].map(([p, a]: any) => { try { return execFileSync(p, a, { encoding: "utf8", env: process.env } as any); } catch (error: any) { return error.stdout; } }).join("").trim();`,
    powers: { exec: [SHELL] },
    gets: /^found \[\]\s+0$/,
  },
  {
    name: "the environment file of a granted program",
    body: `return String((await ctx.exec("cat", ["/proc/self/environ"])).stdout.includes("sk-ant-"));`,
    powers: { exec: [{ program: "cat", args: ["/proc/self/environ"] }] },
    gets: "found false",
  },
];
