/**
 * Loads a plugin as opencode does, and calls its hooks: `node opencode-host.ts PLUGIN CALLS VARIABLES`. Prints what became of each call.
 * Its timers are a hundred times as fast: opencode's plugin waits for minutes.
 */
const wait = globalThis.setTimeout;
globalThis.setTimeout = ((act: () => void, ms = 0) => wait(act, ms / 100)) as typeof setTimeout;

export interface HostCall {
  hook: string;
  given: unknown[];
  /** Called again, real ms later, while the call before it waits. */
  meanwhile?: { afterMs: number; hook: string; given: unknown[] };
}

export interface HostAnswer {
  /** The message of what it threw. */
  error?: string;
  given: unknown[];
  /** True if a plugin that comes later can change the call. */
  open: boolean;
}

const [, , file = "", calls = "[]", variables = "{}"] = process.argv;
// Only now: they would change how Node begins, which opencode is not.
Object.assign(process.env, JSON.parse(variables));
const { Cordon } = await import(file);
const hooks = await Cordon({ directory: process.cwd() });
const answers: HostAnswer[] = [];
for (const { hook, given, meanwhile } of JSON.parse(calls) as HostCall[]) {
  if (meanwhile) wait(() => void hooks[meanwhile.hook](...meanwhile.given), meanwhile.afterMs);
  let error: string | undefined;
  try {
    await hooks[hook](...given);
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  const args = Object((given[1] as { args?: unknown } | undefined)?.args);
  const open = Reflect.set(args, "command", "rm") || Reflect.setPrototypeOf(args, {});
  answers.push({ ...(error === undefined ? {} : { error }), given, open });
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
