import { join } from "node:path";
import { createEventBus, discoverAndLoadExtensions } from "@earendil-works/pi-coding-agent";
import { temporaryFolder, writeFiles } from "../support/session.ts";

type Loaded = Awaited<ReturnType<typeof discoverAndLoadExtensions>>;

/** The extensions as pi itself loads them: by its own loader, into this process, with one bus. */
export async function inPi(sources: Readonly<Record<string, string>>): Promise<Loaded> {
  const folder = temporaryFolder();
  const names = Object.keys(sources).map((name) => `${name}.ts`);
  writeFiles(folder, Object.fromEntries(Object.entries(sources).map(([name, source]) => [`${name}.ts`, source])));
  const paths = names.map((name) => join(folder, name));
  const loaded = await discoverAndLoadExtensions(paths, folder, join(folder, "agent"), createEventBus());
  if (loaded.errors.length > 0) throw new Error(JSON.stringify(loaded.errors));
  return loaded;
}

/** What pi's handlers of an event say, one after the other, with a context that has this. */
export async function heardInPi({ extensions }: Loaded, type: string, event: object, context: object = {}) {
  const said: unknown[] = [];
  for (const extension of extensions)
    for (const handler of extension.handlers.get(type) ?? []) said.push(await handler({ type, ...event }, context));
  return said;
}

/** The longest time, in ms, for which this process could do nothing else. */
export async function stalled(act: () => unknown): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 2);
  await new Promise((done) => setTimeout(done, 10));
  await act();
  await new Promise((done) => setTimeout(done, 10));
  clearInterval(timer);
  return longest;
}
