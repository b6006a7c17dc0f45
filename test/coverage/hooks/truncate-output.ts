import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HookAPI, isBashToolResult } from "@mariozechner/pi-coding-agent/hooks";

const MAX_BYTES = 32;

/** The head of a long output, with the rest in a file that the agent can read. */
export default function (pi: HookAPI) {
  pi.on("tool_result", async (event) => {
    if (!isBashToolResult(event)) return undefined;
    const [first] = event.content;
    if (first?.type !== "text") return undefined;
    const bytes = new TextEncoder().encode(first.text);
    if (bytes.length <= MAX_BYTES) return undefined;
    const name = `pi-${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}.txt`;
    await writeFile(join(tmpdir(), name), bytes);
    const head = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES));
    return { content: [{ type: "text", text: `${head}\n[${bytes.length} bytes, all of them in ${name}]` }] };
  });
}
