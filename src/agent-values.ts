/** Values of the agent, as events and results carry them. */

// biome-ignore lint/suspicious/noExplicitAny: entries, messages and models are the agent's own types
export type AgentValue = any;

export interface TextContent {
  type: "text";
  text: string;
}

export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
}
