import { getGlobalInterceptorRegistry } from "cordon/interceptors";

/** Commands that nobody wants to run by mistake. */
const DANGEROUS = [
  /\brm\s+(-\S+\s+)*-\w*(r\w*f|f\w*r)/i,
  /\bgit\s+push\b.*\s(--force(?!-)|-f)\b/,
  /\bgit\s+reset\s+--hard\b/,
  /\b(curl|wget)\b.*\|\s*(ba|z)?sh\b/,
];

getGlobalInterceptorRegistry()?.add({
  id: "guard",
  name: "tool.before",
  priority: 100,
  // Interceptors know the shell as exec.
  toolMatcher: /^exec$/,
  handler: (_input, output) => {
    const command = String(output.args.command);
    if (!DANGEROUS.some((pattern) => pattern.test(command))) return;
    output.block = true;
    output.blockReason = "a dangerous command needs a person";
  },
});
