/** Commands that nobody wants to run by mistake. */
const DANGEROUS = [
  /\brm\s+(-\S+\s+)*-\w*(r\w*f|f\w*r)/i,
  /\bgit\s+push\b.*\s(--force(?!-)|-f)\b/,
  /\bgit\s+reset\s+--hard\b/,
  /\b(curl|wget)\b.*\|\s*(ba|z)?sh\b/,
];

/** What this plugin uses of OpenClaw's API. */
interface Api {
  on(name: "before_tool_call", handler: (call: Call) => { block: true; blockReason: string } | undefined): void;
}
interface Call {
  toolName: string;
  params: Record<string, unknown>;
}

export default {
  id: "guard",
  register(api: Api) {
    api.on("before_tool_call", ({ toolName, params }) => {
      const command = String(params.command);
      // OpenClaw's shell is exec.
      if (toolName !== "exec" || !DANGEROUS.some((pattern) => pattern.test(command))) return undefined;
      return { block: true, blockReason: "a dangerous command needs a person" };
    });
  },
};
