import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HookHost } from "../../dist/src/index.js";
import { folderBeside } from "../../src/runtime/addon.ts";
import { runtimeAddon, runtimeNode } from "../../src/runtime/locate.ts";
import type { HookOption } from "../../src/session/options.ts";
import type { Variant } from "./measure.ts";
import { EVENT, HOOK } from "./rivals.ts";

/** Lays this Node and the addon into the home of a host, as `cordon runtime install` would: agents have a Node of their own. */
export function layRuntime(folder: string): void {
  const runtime = join(folder, "home", "runtime");
  mkdirSync(dirname(runtimeNode(runtime)), { recursive: true });
  symlinkSync(process.execPath, runtimeNode(runtime));
  copyFileSync(join(dirname(process.execPath), "..", "package.json"), join(runtime, "node", "package.json"));
  symlinkSync(folderBeside() as string, runtimeAddon(runtime));
}

/** A host with `count` copies of the rivals' hook in one process. */
export async function startHost(folder: string, count: number, more: Partial<HookOption> = {}): Promise<HookHost> {
  mkdirSync(join(folder, "work"), { recursive: true });
  mkdirSync(join(folder, "hooks"), { recursive: true });
  const hooks = Array.from({ length: count }, (_, index) => {
    const path = join(folder, "hooks", `gate-${index}.ts`);
    writeFileSync(path, HOOK.replaceAll("(pi)", "(pi: any)").replaceAll("(event, ctx)", "(event: any)"));
    return { path, ...more };
  });
  return HookHost.start({ cwd: join(folder, "work"), home: join(folder, "home"), discover: false, hooks });
}

export async function cordonVariant(
  name: string,
  folder: string,
  count: number,
  more: Partial<HookOption> = {},
): Promise<Variant> {
  const host = await startHost(folder, count, more);
  const ask = async (): Promise<void> => {
    const verdict = await host.emitToolCall({ ...EVENT, input: { ...EVENT.input } });
    if (verdict) throw new Error(JSON.stringify(verdict));
  };
  await ask();
  return { name, once: ask, close: () => host.close() };
}
