/** The type guards that hooks import from `@mariozechner/pi-coding-agent/hooks`. */
type ToolResult = { toolName: string };

const is =
  (name: string) =>
  (event: ToolResult): boolean =>
    event.toolName === name;

export const isBashToolResult = is("bash");
export const isReadToolResult = is("read");
export const isEditToolResult = is("edit");
export const isWriteToolResult = is("write");
export const isGrepToolResult = is("grep");
export const isFindToolResult = is("find");
export const isLsToolResult = is("ls");
