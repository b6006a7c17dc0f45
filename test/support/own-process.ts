import { afterAll, inject } from "vitest";
import { keepBuilders } from "../../src/bundle/build.ts";

/** Files of one worker share a process. What one of them changes there ends with it: variables and the working directory. */
const env = { ...process.env };
const cwd = process.cwd();

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
  if (process.cwd() !== cwd) process.chdir(cwd);
  process.exitCode = undefined;
});

// Suites that share a process share what builds their hooks, too.
if (!inject("alone")) keepBuilders(60_000);
