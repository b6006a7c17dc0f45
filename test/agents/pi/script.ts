import type { Turn } from "./model-server.ts";

/** A turn in which the model calls a tool. */
export const call = (name: string, args: object): Turn => ({ calls: [{ name, args }] });
export const bash = (command: string): Turn => call("bash", { command });
export const so: Turn = { text: "so" };

/** The person chooses another model. */
export const use = (provider: string, modelId: string) => ({ type: "set_model", provider, modelId });

/** A skill of the project's. */
export const skill = (name: string, body: string) => ({
  [`work/.pi/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: ${name} it\n---\n\n${body}\n`,
});
