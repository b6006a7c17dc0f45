import type { Run } from "../../../wire/registrations.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import { forHook } from "../../core/primordials.ts";
import { known } from "../known.ts";
import type { Definition } from "../registrations.ts";

/** Names of commands, which people type after a `/`. */
const NAME = /^[a-z][a-z0-9_-]*$/;

/** Where the person who types a command is: at the agent itself, not in a chat. */
const CHANNEL = "cordon";

/** The command as it is registered, or why OpenClaw would not take it. It then goes on without. */
export function commandOf(given: unknown): { name: string; definition: Definition } | { why: string } {
  const definition = Object(given) as Definition;
  const { name, description, handler } = definition;
  if (typeof handler !== "function") return { why: "its handler is not a function" };
  if (typeof description !== "string" || description.trim() === "") return { why: "it has no description" };
  const typed = typeof name === "string" ? name.trim().toLowerCase() : "";
  if (!NAME.test(typed)) return { why: "its name is not a letter, then letters, digits, - and _" };
  return { name: typed, definition };
}

/** What a command's handler is given. Nothing of it depends on a chat. */
export function commandContext(
  { acceptsArgs }: Definition,
  { name, args: typed }: Run,
  config: object,
  { envelope }: Dispatch,
): object {
  const args = acceptsArgs === true && typed?.trim() ? typed.trim() : undefined;
  const sessionFile = envelope.sessionFile ?? undefined;
  return forHook({
    channel: CHANNEL,
    isAuthorizedSender: true,
    ...known({ args, sessionId: sessionFile, sessionFile }),
    commandBody: args === undefined ? `/${name}` : `/${name} ${args}`,
    config,
    // No conversation of a chat can be bound here.
    requestConversationBinding: async () =>
      forHook({ status: "error", message: "This command cannot bind the current conversation." }),
    detachConversationBinding: async () => forHook({ removed: false }),
    getCurrentConversationBinding: async () => null,
  });
}

/** The text of a command's reply, if it has any. */
export function replyText(returned: unknown): { text: string | undefined; isError: boolean } {
  const { text, isError } = Object(returned) as { text?: unknown; isError?: unknown };
  return { text: typeof text === "string" && text.trim() !== "" ? text : undefined, isError: isError === true };
}
