import type { Sources, TestSession } from "../support/session.ts";

/** A hook that logs how far the agent is: each event with its number, or how many messages it has. */
export const TURNS: Sources = {
  turns: {
    source: `export default function (pi: any) {
      const say = (type: string, what: (event: any) => unknown) =>
        pi.on(type, async (event: any) => console.log(event.type, JSON.stringify(what(event))));
      say("session", ({ reason }) => reason);
      say("agent_start", () => 0);
      say("turn_start", ({ turnIndex }) => turnIndex);
      say("turn_end", ({ turnIndex, message, toolResults }) => [turnIndex, message !== null, toolResults.length]);
      say("agent_end", ({ messages }) => messages.length > 0);
    }`,
    grant: { capabilities: { events: { see: ["*"] }, session: ["entries"] } },
  },
};

/** What the hook said. */
export const heardIn = ({ log }: Pick<TestSession, "log">): string[] =>
  log.filter(({ hook, at }) => hook === "turns" && at !== undefined).map(({ text }) => text);

/** What it says of a run with one call of a tool, by which a session begins. */
export const ONE_CALL = [
  'session "start"',
  "agent_start 0",
  "turn_start 0",
  "turn_end [0,true,1]",
  "turn_start 1",
  "turn_end [1,true,0]",
  "agent_end true",
];
