import { convertToLlm } from "@earendil-works/pi-coding-agent/dist/core/messages.js";

interface Message {
  role: string;
}

/** What pi 0.27 made of the messages of a session for a model: it knew of fewer kinds. */
export const messageTransformer = (messages: readonly Message[]): unknown[] =>
  convertToLlm(messages.filter(({ role }) => KNOWN.includes(role)));

const KNOWN = ["user", "assistant", "toolResult", "bashExecution"];
