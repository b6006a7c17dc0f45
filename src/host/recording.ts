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

/** Words of many programs, which stand in every second event. */
const WORDS = /^(?:true|false|production|development)$/;
/** A place or a number, which stands there, too. What is called a secret may look so. */
const PLAIN = /^(?:[/~]|[A-Za-z]:[\\/]|[\d.]+$)/;

/** Values of variables that hooks were granted, or that are called secrets. */
function secretsIn(env: NodeJS.ProcessEnv, hooks: readonly Hook[]): string[] {
  const granted = hooks.flatMap(({ grant }) => grant.capabilities.env ?? []);
  const isSecret = (name: string, value: string): boolean =>
    !WORDS.test(value) && (isSecretField(name) || (!PLAIN.test(value) && envPower.covers(granted, [name])));
  return Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSecret(name, value) ? [value] : []));
}
