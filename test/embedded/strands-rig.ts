import { Agent, type JSONValue, tool } from "@strands-agents/sdk";
import { cordon } from "../../src/agents/strands/index.ts";
import { type Rig, TOOLS } from "./rig.ts";
import { ScriptedModel } from "./strands-model.ts";

export const strandsRig: Rig = {
  name: "Strands",
  runsOthers: true,
  async run(host, { calls, execute, signal, toolNames }) {
    const model = new ScriptedModel(calls);
    const tools = TOOLS.map((name) =>
      tool({
        name,
        description: `The tool ${name}.`,
        inputSchema: { type: "object" },
        callback: async (input, context) => (await execute(name, input, context?.cancelSignal)) as JSONValue,
      }),
    );
    const plugins = [cordon(host, toolNames ? { toolNames } : {})];
    const agent = new Agent({ model, tools, plugins, printer: false, toolExecutor: "concurrent" });
    const result = await agent.invoke("go", signal ? { cancelSignal: signal } : {});
    if (result.stopReason === "cancelled") throw new Error("cancelled");
    return model.read;
  },
};
