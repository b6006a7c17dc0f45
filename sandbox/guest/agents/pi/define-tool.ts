/** Only gives a tool its type. The tool is not registered. */
export const defineTool = <Tool>(tool: Tool): Tool => tool;
