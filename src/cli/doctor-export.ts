import { exportState } from "../audit/export-settings.ts";
import { messageOf } from "../base/errors.ts";
import { withoutUser } from "../base/without-user.ts";
import { type Finding, fault, fine, remark } from "./finding.ts";

const WHAT = "OpenTelemetry";
const ADDRESSES = ["ENDPOINT", "LOGS_ENDPOINT", "TRACES_ENDPOINT"].map((name) => `OTEL_EXPORTER_OTLP_${name}`);
const PROTOCOLS = ["PROTOCOL", "LOGS_PROTOCOL", "TRACES_PROTOCOL"].map((name) => `OTEL_EXPORTER_OTLP_${name}`);

/** The one that Cordon speaks. */
const PROTOCOL = "http/protobuf";

/** How long a receiver may take to answer, in ms. */
const ANSWER_MS = 2000;

/** What `cordon doctor` says of the receiver that the standard's variables name; nothing where they name none. */
export async function exportFindings(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { isOn, missing } = exportState(env);
  if (missing.length > 0)
    return [remark(WHAT, `OTEL_* names a receiver, and the SDK is not there: npm install ${missing.join(" ")}`)];
  if (!isOn) return [];
  const given = ADDRESSES.filter((name) => env[name]);
  const wrong = [
    ...PROTOCOLS.filter((name) => env[name] && env[name] !== PROTOCOL).map(
      (name) => `${name} is ${env[name]}, and Cordon sends ${PROTOCOL}`,
    ),
    ...given
      .filter((name) => !/^https?:\/\/[^/]/.test(env[name] as string))
      .map((name) => `${name} is no address: write http:// or https:// before it`),
  ];
  if (wrong.length > 0) return wrong.map((text) => fault(WHAT, text));
  // No password is printed, and `fetch` refuses an address with one.
  const silent = await Promise.all(given.map((name) => silenceOf(withoutUser(env[name] as string))));
  const faults = silent.flatMap((text) => (text === undefined ? [] : [fault(WHAT, text)]));
  return faults.length > 0 ? faults : [fine(WHAT, "the audit is sent to the receiver that OTEL_* names")];
}

/** Why a receiver is not there. One that answers anything is. */
async function silenceOf(address: string): Promise<string | undefined> {
  try {
    await fetch(address, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    return undefined;
  } catch (error) {
    const { cause = error } = error as Error;
    return `nothing answers at ${address}, so the audit is not sent there: ${messageOf(cause)}`;
  }
}
