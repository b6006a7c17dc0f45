import { getGlobalInterceptorRegistry } from "cordon/interceptors";

/** Lets the model think harder if a message is long, or if it asks for something that needs thought. */
const LONG = 600;
const HARD = /\b(debug|deadlock|race condition|root cause|prove|refactor|architecture|security review)\b/i;

const registry = getGlobalInterceptorRegistry();

registry?.add({
  id: "think-harder:classify",
  name: "message.before",
  handler: (_input, output) => {
    if (output.message.length > LONG || HARD.test(output.message)) output.metadata.effort = "high";
  },
});

registry?.add({
  id: "think-harder:adjust",
  name: "params.before",
  handler: (input, output) => {
    if (input.metadata.effort === "high") output.thinkLevel = "high";
  },
});
