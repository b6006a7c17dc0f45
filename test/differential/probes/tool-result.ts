import { emits, on, toolResult } from "../events.ts";
import type { Probe } from "../scenario.ts";

const onResult = (...bodies: string[]): string => on("tool_result", ...bodies);
const text = (value: string): string => `[{ type: "text", text: ${value} }]`;

/** One hook changes the result in each: how several fold is a difference of its own. */
// biome-ignore format: a table
export const TOOL_RESULT: Probe[] = [
  ["content is replaced",
    { redactor: onResult(`return { content: event.content.map((item: any) => ({ ...item, text: item.text.replace(/secret/g, "…") })) };`) },
    emits(toolResult("bash", "a secret and a secret"), toolResult("read", "nothing"))],
  ["details are replaced, also by nothing",
    { details: onResult('return event.toolName === "bash" ? { details: { mine: [1, { two: 2 }] } } : event.toolName === "read" ? { details: null } : { details: "text" };') },
    ["bash", "read", "own"].map((tool) => ({ emit: toolResult(tool, "x", { details: { theirs: true } }) }))],
  ["isError is overridden either way", { judge: onResult("return { isError: !event.isError };") },
    emits(toolResult("bash", "x"), toolResult("bash", "x", { isError: true }))],
  ["all three at once, with an image",
    { all: onResult('return { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], details: { n: 1 }, isError: true };') },
    emits(toolResult("bash", "x"))],
  ["no content at all", { empty: onResult("return { content: [] };") }, emits(toolResult("bash", "x"))],
  ["falsy and empty results change nothing",
    { falsy: onResult(...["undefined", "null", "0", '""', "false", "{}"].map((value) => `return ${value} as any;`)) },
    emits(toolResult("bash", "x"))],
  ["the type guards tell the tools apart",
    { guards: `import { isBashToolResult, isEditToolResult, isFindToolResult, isGrepToolResult, isLsToolResult, isReadToolResult, isWriteToolResult } from "@mariozechner/pi-coding-agent/hooks";
        ${onResult("ctx.ui.notify([isBashToolResult, isReadToolResult, isEditToolResult, isWriteToolResult, isGrepToolResult, isFindToolResult, isLsToolResult].map((is) => Number(is(event))).join(''), 'info');")}` },
    ["bash", "read", "edit", "write", "grep", "find", "ls", "own"].map((tool) => ({ emit: toolResult(tool, "x") }))],
  ["a handler that throws is reported, and the others go on",
    { one: onResult('throw new Error("one");', `return { content: ${text('"two"')} };`),
      two: onResult('ctx.ui.notify("three", "info");') }, emits(toolResult("bash", "x"))],
  ["an answer of the user's decides",
    { asks: onResult(`if (await ctx.ui.confirm("Hide?", event.content[0].text)) return { content: ${text('"hidden"')} };`) },
    emits(toolResult("bash", "private"), toolResult("bash", "public")), { answers: ({ rest }) => rest === "private" }],
];
