import { parseJsonWithRepair, parseStreamingJson } from "@earendil-works/pi-ai/dist/utils/json-parse.js";

/** The arguments of a tool's call while they arrive, of later versions of pi. */
export class ToolCallArgumentsStream {
  #text = "";

  /** The arguments as far as they came. */
  append(delta: string): object {
    this.#text += delta;
    return parseStreamingJson(this.#text);
  }

  /** All of them, and what is wrong with their text. */
  finish(): { arguments: object; argumentsError?: string } {
    if (this.#text.trim() === "") return { arguments: {} };
    try {
      return { arguments: Object(parseJsonWithRepair(this.#text)) };
    } catch (error) {
      return { arguments: parseStreamingJson(this.#text), argumentsError: (error as Error).message };
    }
  }
}
