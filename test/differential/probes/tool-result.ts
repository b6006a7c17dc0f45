import { hook, toolResult } from "../events.ts";
import type { Probe } from "../scenario.ts";

const onResult = (...bodies: string[]): string => hook(bodies.map((body) => ["tool_result", body]));
const text = (value: string): string => `[{ type: "text", text: ${value} }]`;

/** One hook changes the result in each: how several fold is a difference of its own. */
export const TOOL_RESULT: Probe[] = [
  {
    name: "content is replaced",
    hooks: {
      redactor: onResult(
        `return { content: event.content.map((item: any) => ({ ...item, text: item.text.replace(/secret/g, "…") })) };`,
      ),
    },
    script: [{ emit: toolResult("bash", "a secret and a secret") }, { emit: toolResult("read", "nothing") }],
  },
  {
    name: "details are replaced, also by nothing",
    hooks: {
      details: onResult(
        'return event.toolName === "bash" ? { details: { mine: [1, { two: 2 }] } } : event.toolName === "read" ? { details: null } : { details: "text" };',
      ),
    },
    script: ["bash", "read", "own"].map((tool) => ({ emit: toolResult(tool, "x", { details: { theirs: true } }) })),
  },
  {
    name: "isError is overridden either way",
    hooks: { judge: onResult("return { isError: !event.isError };") },
    script: [{ emit: toolResult("bash", "x") }, { emit: toolResult("bash", "x", { isError: true }) }],
  },
  {
    name: "all three at once, with an image",
    hooks: {
      all: onResult(
        'return { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], details: { n: 1 }, isError: true };',
      ),
    },
    script: [{ emit: toolResult("bash", "x") }],
  },
  {
    name: "no content at all",
    hooks: { empty: onResult("return { content: [] };") },
    script: [{ emit: toolResult("bash", "x") }],
  },
  {
    name: "falsy and empty results change nothing",
    hooks: {
      falsy: onResult(...["undefined", "null", "0", '""', "false", "{}"].map((value) => `return ${value} as any;`)),
    },
    script: [{ emit: toolResult("bash", "x") }],
  },
  {
    name: "the type guards tell the tools apart",
    hooks: {
      guards: `import { isBashToolResult, isEditToolResult, isFindToolResult, isGrepToolResult, isLsToolResult, isReadToolResult, isWriteToolResult } from "@mariozechner/pi-coding-agent/hooks";
        ${onResult("ctx.ui.notify([isBashToolResult, isReadToolResult, isEditToolResult, isWriteToolResult, isGrepToolResult, isFindToolResult, isLsToolResult].map((is) => Number(is(event))).join(''), 'info');")}`,
    },
    script: ["bash", "read", "edit", "write", "grep", "find", "ls", "own"].map((tool) => ({
      emit: toolResult(tool, "x"),
    })),
  },
  {
    name: "a handler that throws is reported, and the others go on",
    hooks: {
      one: onResult('throw new Error("one");', `return { content: ${text('"two"')} };`),
      two: onResult('ctx.ui.notify("three", "info");'),
    },
    script: [{ emit: toolResult("bash", "x") }],
  },
  {
    name: "an answer of the user's decides",
    hooks: {
      asks: onResult(
        `if (await ctx.ui.confirm("Hide?", event.content[0].text)) return { content: ${text('"hidden"')} };`,
      ),
    },
    answers: ({ rest }) => rest === "private",
    script: [{ emit: toolResult("bash", "private") }, { emit: toolResult("bash", "public") }],
  },
];
