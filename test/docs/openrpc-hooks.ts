import { MESSAGES, MODEL } from "../powers/provider-facts.ts";
import { onToolCall } from "../support/session.ts";

/** Hooks that together make Cordon send each of its messages to an agent, and answer each of the agent's. */
export const HOOKS: Readonly<Record<string, { source: string; capabilities: object }>> = {
  "asks.ts": {
    source: `${onToolCall(`
      const { command } = event.input;
      if (command === "wait") return { block: true, reason: String(await ctx.ui.select("Wait?", ["Yes"])) };
      if (command === "date") await ctx.exec("date", []);
      if (command === "later") setTimeout(() => { throw new Error("late"); }, 0);
      if (command === "no") return { block: true, reason: "said no" };`)}`,
    capabilities: { events: { see: ["tool_call"], block: true }, ui: ["select"] },
  },
  "chooses.ts": {
    source: `import { BeforeToolCallEvent } from "@strands-agents/sdk";
export default { name: "chooser", initAgent(agent: any) { agent.addHook(BeforeToolCallEvent, (event: any) => {
  if (event.toolUse.name === "read") event.selectedTool = agent.toolRegistry.get("bash"); }); } };`,
    capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["read", "bash"] } },
  },
  "redacts.ts": {
    source: `export default (pi: any) => pi.on("tool_result", () => ({ content: [{ type: "text", text: "***" }] }));`,
    capabilities: { events: { see: ["tool_result"], rewriteResult: ["*"] } },
  },
  "offers.ts": {
    source: `${MESSAGES}
export default (pi: any) => {
  pi.registerTool({ name: "greet", label: "Greet", description: "Greets", parameters: { type: "object" },
    async execute(id: string, params: any, signal: AbortSignal, onUpdate: any) {
      onUpdate({ content: [{ type: "text", text: "half" }] });
      return { content: [{ type: "text", text: "whole" }] };
    } });
  pi.registerFlag("strict", { type: "boolean" });
  pi.registerShortcut("ctrl+g", { description: "goes", handler: async () => {} });
  pi.registerMessageRenderer("note", (message: any) => ({ render: () => [message.content], invalidate() {} }));
  pi.registerCommand("tell", {
    getArgumentCompletions: (start: string) => [{ value: start + "1" }],
    handler: async (args: string, ctx: any) => {
      await ctx.ui.confirm("Sure?", "really");
      await ctx.ui.input("Name?", "Ann");
      await ctx.ui.editor("Text", "before");
      ctx.ui.setStatus("state", "working");
      ctx.ui.notify("told");
      ctx.sessionManager.getBranch();
      pi.getAllTools();
      pi.appendEntry("told", {});
      pi.sendMessage({ customType: "note", content: "hello", display: true }, {});
      pi.sendUserMessage("hello");
      await raw("model.resolveApiKey", { provider: "acme" });
      await raw("model.complete", { provider: "acme", id: "m" }, { messages: [] }, {});
      pi.registerFlag("more", { type: "string" });
    } });
  pi.registerCommand("show", { handler: async (args: string, ctx: any) => {
    ctx.ui.addAutocompleteProvider(() => ({ triggerCharacters: ["#"],
      getSuggestions: async (lines: string[]) => ({ prefix: "#", items: [{ value: lines[0], label: "one" }] }) }));
    ctx.ui.onTerminalInput((data: string) => (data === "x" ? { consume: true } : undefined));
    ctx.ui.setEditorComponent(() => ({ written: "", invalidate() {}, addToHistory() {},
      getText() { return this.written; }, setText(text: string) { this.written = text; },
      handleInput(data: string) { if (data === "\\r") (this as any).onSubmit(this.written); else this.written += data; },
      render() { return [this.written]; } }));
    await ctx.ui.custom((tui: any, theme: any, keys: any, done: any) => ({ invalidate() {}, render: () => ["here"], handleInput() {} }));
  } });
  pi.registerProvider("my-llm", {
    baseUrl: "https://api.example.com", api: "mine", models: [${JSON.stringify(MODEL)}],
    async *streamSimple(model: any, context: any, options: any): AsyncGenerator<any> {
      await options.onPayload({ a: 1 });
      yield* said("hello");
    },
    refreshModels: async () => [${JSON.stringify(MODEL)}],
    oauth: { name: "Mine", login: async (callbacks: any) => ({ access: await callbacks.onPrompt({ message: "Code?" }) }),
      refreshToken: async (credentials: any) => credentials, getApiKey: ({ access }: any) => access },
  });
  pi.registerVirtualModel({ provider: "mine", id: "auto", name: "Auto", route: () => ({ model: { provider: "acme", id: "m" }, thinkingLevel: "off" }) });
};`,
    capabilities: {
      events: { see: ["input"], block: false },
      ui: ["notify", "confirm", "input", "editor", "show", "draw", "typing"],
      tools: ["greet"],
      commands: ["*"],
      session: ["entries"],
      send: {},
      agent: ["appendEntry", "allTools"],
      model: ["acme"],
      providers: [
        { name: "my-llm", streams: true },
        { name: "my-llm", login: true },
        { name: "mine", routes: true },
      ],
    },
  },
};
