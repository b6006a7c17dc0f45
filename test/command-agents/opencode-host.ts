/**
 * Loads a plugin as opencode does, and calls its hooks: `node opencode-host.ts PLUGIN CALLS VARIABLES SPEED`. Prints what became of each
 * call. SPEED: how many times as fast its timers are, since opencode's plugin waits for minutes.
 */
const [, , file = "", calls = "[]", variables = "{}", speed = "1"] = process.argv;
const wait = globalThis.setTimeout;
globalThis.setTimeout = ((act: () => void, ms = 0) => wait(act, ms / Number(speed))) as typeof setTimeout;

export interface HostCall {
  hook: string;
  given: unknown[];
  /** Called again, real ms later, while the call before it waits. */
  meanwhile?: { afterMs: number; hook: string; given: unknown[] };
  /** What somebody puts into its second argument, real ms later. */
  changes?: { afterMs: number; members: object };
}

export interface HostAnswer {
  /** The message of what it threw. */
  error?: string;
  given: unknown[];
  /** True if a plugin that comes later can change the call. */
  open: boolean;
}

// Only now: they would change how Node begins, which opencode is not.
Object.assign(process.env, JSON.parse(variables));
const { Cordon } = await import(file);
const hooks = await Cordon({ directory: process.cwd() });
const answers: HostAnswer[] = [];
for (const { hook, given, meanwhile, changes } of JSON.parse(calls) as HostCall[]) {
  if (meanwhile) wait(() => void hooks[meanwhile.hook](...meanwhile.given), meanwhile.afterMs);
  if (changes) wait(() => Object.assign(given[1] as object, changes.members), changes.afterMs);
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
