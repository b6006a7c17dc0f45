import { resolve } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { envPower } from "../powers/env.ts";
import { newRecording } from "../recording/places.ts";
import { Recorder } from "../recording/recorder.ts";
import { isSecretField } from "../recording/secret-shapes.ts";
import type { Hook } from "../session/hook.ts";
import type { Beginning } from "./begin.ts";

/** The recorder that the options ask for. Throws `BAD_GRANT` for a file that may not be written; any other failure is reported. */
export function startRecorder({ options, home, services, hooks }: Beginning): Recorder | undefined {
  const { record, cwd } = options;
  if (record === undefined) return undefined;
  const report = (level: "info" | "warn" | "error", text: string): void => services.reporter.log({ level, text });
  try {
    return new Recorder(record === true ? newRecording(home) : resolve(cwd, record), {
      home,
      cwd,
      secrets: secretsIn(services.session.env, hooks),
      hooks: () => hooks.map(({ id, digest }) => ({ id, ...(digest === undefined ? {} : { digest }) })),
      report,
    });
  } catch (error) {
    if (error instanceof CordonError) throw error;
    report("error", `this session is not recorded: ${messageOf(error)}`);
    return undefined;
  }
}

/** A place, a number or a word of many programs: its value stands in every second event, and is no secret. */
const NO_SECRET = /^(?:[/~]|[A-Za-z]:[\\/]|[\d.]+$|(?:true|false|production|development)$)/;

/** Values of variables that hooks were granted, or that are called secrets. */
function secretsIn(env: NodeJS.ProcessEnv, hooks: readonly Hook[]): string[] {
  const granted = hooks.flatMap(({ grant }) => grant.capabilities.env ?? []);
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && !NO_SECRET.test(value) && (isSecretField(name) || envPower.covers(granted, [name]))
      ? [value]
      : [],
  );
}
