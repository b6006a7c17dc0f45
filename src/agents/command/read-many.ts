import { textOf } from "./fields.ts";
import { type ToolShape, Unreadable } from "./spoken.ts";

/** `read_many_files` of Gemini CLI and of what was made of it: hooks judge each path or pattern as a reading. */
export const READ_MANY: ToolShape = {
  parts: ({ include = [], paths = [] }) =>
    [include, paths].flatMap((list) => {
      if (!Array.isArray(list)) throw new Unreadable("a call whose files are no list");
      return list.map((path) => ({ tool: "read", input: { path: textOf(path, "include") } }));
    }),
};
