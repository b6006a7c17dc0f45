import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { TextContent } from "../../hook-api.ts";

interface Output {
  content: TextContent[];
}

interface Tool {
  name: "bash" | "read" | "write" | "edit";
  /** Each tool reads the inputs that it needs. */
  execute(id: string, input: Record<string, string>): Promise<Output>;
}

const text = (value: string): Output => ({ content: [{ type: "text", text: value }] });

/** The four tools of a coding agent, for real, in one folder. */
export function agentTools(cwd: string): Tool[] {
  return [
    {
      name: "bash",
      execute: (_id, { command = "" }) =>
        new Promise<Output>((done, failed) => {
          execFile("bash", ["-c", command], { cwd, timeout: 20_000 }, (error, stdout, stderr) =>
            error ? failed(new Error(stderr || error.message)) : done(text(stdout)),
          );
        }),
    },
    {
      name: "read",
      execute: async (_id, { path = "" }) => text(await readFile(resolve(cwd, path), "utf8")),
    },
    {
      name: "write",
      execute: async (_id, { path = "", content = "" }) => {
        await writeFile(resolve(cwd, path), content);
        return text(`wrote ${path}`);
      },
    },
    {
      name: "edit",
      execute: async (_id, { path = "", oldText = "", newText = "" }) => {
        const before = await readFile(resolve(cwd, path), "utf8");
        if (!before.includes(oldText)) throw new Error(`${path} does not contain the text`);
        await writeFile(
          resolve(cwd, path),
          before.replace(oldText, () => newText),
        );
        return text(`edited ${path}`);
      },
    },
  ];
}

/** One step of the scripted agent. */
export interface Call {
  tool: Tool["name"];
  input: Record<string, string>;
}
