/** Sources of plugins, as an author would write them. */

const IMPORT = `import {
  AfterInvocationEvent, AfterToolCallEvent, BeforeInvocationEvent, BeforeToolCallEvent, HookOrder,
  ImageBlock, JsonBlock, TextBlock, ToolResultBlock,
} from "@strands-agents/sdk";
const trail = (event: any, mark: string) => {
  event.toolUse.input = { ...event.toolUse.input, trail: (event.toolUse.input.trail ?? "") + mark };
};
const append = (event: any, mark: string) => {
  const { toolUseId, status, content } = event.result;
  event.result = new ToolResultBlock({ toolUseId, status, content: [...content, new TextBlock(mark)] });
};
`;

/** A module with a plugin whose `initAgent` has this body (`agent` in scope). */
export const plugin = (body: string, top = "", name = "tested"): string => exported(literal(body, name), top);

/** Two modules, with a plugin each. */
export const two = (first: string, second: string): Record<string, string> => ({
  first: plugin(first),
  second: plugin(second, "", "second"),
});

export const literal = (body: string, name = "tested"): string =>
  `{ name: ${JSON.stringify(name)}, async initAgent(agent: any) {\n${body}\n} }`;

export const exported = (value: string, top = ""): string => `${named(top)}export default ${value};\n`;

export const named = (rest: string): string => `${IMPORT}${rest}\n`;

const adding =
  (event: string) =>
  (body: string, order?: string): string =>
    `agent.addHook(${event}, async (event: any) => {\n${body}\n}${order === undefined ? "" : `, { order: ${order} }`});\n`;

export const before = adding("BeforeToolCallEvent");
export const after = adding("AfterToolCallEvent");
export const starting = adding("BeforeInvocationEvent");
export const ending = adding("AfterInvocationEvent");
/** The same with a callback that is not async. */
export const beforeSync = (body: string): string => before(body).replace("async (event", "(event");

/** A module with a plugin that has one callback, with this body, before each call or after it. */
export const onCall = (body: string, top?: string): string => plugin(before(body), top);
export const onResult = (body: string, top?: string): string => plugin(after(body), top);
