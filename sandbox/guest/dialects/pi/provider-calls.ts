import type { LoginStep, StreamNote } from "../../../wire/providers.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import { checkCall } from "../../core/limits.ts";
import { define, forHook, hookPromise, ignoreRejection, parse, serialize } from "../../core/primordials.ts";
import type { Remote } from "../../core/remote.ts";

/** Tells the agent a step of a request or a sign-in. Resolves with its answer, in the hook's realm. */
function tell(remote: Remote, dispatch: Dispatch, step: StreamNote | LoginStep, value: unknown): Promise<unknown> {
  const text = value === undefined ? "null" : checkCall(serialize(value) ?? "null", "providers.tell");
  const { signal } = dispatch.abort;
  const asked = remote.call("providers.tell", dispatch.id, [step, text], signal) as Promise<string | null>;
  return hookPromise(asked.then((answer) => (typeof answer === "string" ? parse(answer) : undefined)));
}

/** The options of a request, with the functions that pi's own providers call. */
export function streamOptions(remote: Remote, dispatch: Dispatch, { options }: { options: object }): object {
  return define(options, {
    signal: dispatch.abort.signal,
    onPayload: (payload: unknown) => tell(remote, dispatch, "payload", payload),
    onResponse: (response: unknown) => tell(remote, dispatch, "response", response),
    onProviderStreamEvent: (data: unknown) => tell(remote, dispatch, "event", data),
  });
}

/** What a sign-in shows and asks. */
export function loginCallbacks(remote: Remote, dispatch: Dispatch): object {
  const show = (step: LoginStep) => (value: unknown) => ignoreRejection(tell(remote, dispatch, step, value));
  const ask = (step: LoginStep) => (value: unknown) => tell(remote, dispatch, step, value);
  return forHook({
    onAuth: show("auth"),
    onDeviceCode: show("deviceCode"),
    onProgress: show("progress"),
    onPrompt: ask("prompt"),
    onManualCodeInput: ask("manualCode"),
    onSelect: ask("select"),
    signal: dispatch.abort.signal,
  });
}
