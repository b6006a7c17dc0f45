import { messageOf } from "../base/errors.ts";
import { HookHost } from "../host/host.ts";
import type { LogLine } from "../session/log-line.ts";
import type { HookHostOptions } from "../session/options.ts";

/** No verdict depends on a recording: the file that was wished for may be another one's by now. */
export async function startRecorded(options: HookHostOptions, log: (line: LogLine) => void): Promise<HookHost> {
  const { record, ...unrecorded } = options;
  if (record === undefined) return HookHost.start(options);
  try {
    return await HookHost.start(options);
  } catch (error) {
    // If it was not the recording, this fails by the same.
    const host = await HookHost.start(unrecorded);
    log({ level: "error", text: `this session is not recorded: ${messageOf(error)}` });
    return host;
  }
}
