import { BeforeToolCallEvent, type LocalAgent } from "@strands-agents/sdk";

/** Commands that nobody wants to run by mistake. */
const DANGEROUS = [
  /\brm\s+(-\S+\s+)*-\w*(r\w*f|f\w*r)/i,
  /\bgit\s+push\b.*\s(--force(?!-)|-f)\b/,
  /\bgit\s+reset\s+--hard\b/,
  /\b(curl|wget)\b.*\|\s*(ba|z)?sh\b/,
];

export default {
  name: "guard",
  initAgent(agent: LocalAgent) {
    agent.addHook(BeforeToolCallEvent, (event) => {
      const { name, input } = event.toolUse;
      const command = String((input as { command?: unknown }).command);
      if (name !== "bash" || !DANGEROUS.some((pattern) => pattern.test(command))) return;
      event.cancel = "a dangerous command needs a person";
    });
  },
};
