/** The blocks of a tool's result in `@strands-agents/sdk`. */

export class TextBlock {
  readonly type = "textBlock";
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): object {
    return { text: this.text };
  }
}

export class JsonBlock {
  readonly type = "jsonBlock";
  readonly json: unknown;

  constructor(data: { json: unknown }) {
    this.json = data.json;
  }

  toJSON(): object {
    return { json: this.json };
  }
}

/** An image by its bytes: places on the network are nothing that a hook's result can name. */
export class ImageBlock {
  readonly type = "imageBlock";
  /** As in "png". */
  readonly format: string;
  readonly source: { readonly type: "imageSourceBytes"; readonly bytes: Uint8Array };

  constructor(data: { format: string; source: { bytes: Uint8Array } }) {
    if (!(data.source?.bytes instanceof Uint8Array)) throw new TypeError("ImageBlock takes the bytes of an image");
    this.format = data.format;
    this.source = { type: "imageSourceBytes", bytes: data.source.bytes };
  }

  toJSON(): object {
    return { image: { format: this.format, source: { bytes: toBase64(this.source.bytes) } } };
  }
}

export class ToolResultBlock {
  readonly type = "toolResultBlock";
  readonly toolUseId: string;
  readonly status: "success" | "error";
  readonly content: readonly { toJSON(): object }[];
  readonly error?: Error;

  constructor(data: {
    toolUseId: string;
    status: "success" | "error";
    content: readonly { toJSON(): object }[];
    error?: Error;
  }) {
    this.toolUseId = data.toolUseId;
    this.status = data.status;
    this.content = data.content;
    if (data.error !== undefined) this.error = data.error;
  }

  toJSON(): object {
    const { toolUseId, status, content } = this;
    return { toolResult: { toolUseId, status, content: content.map((block) => block.toJSON()) } };
  }
}

type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** A tool's content as blocks. */
export const toBlocks = (content: readonly Content[]): { toJSON(): object }[] =>
  content.map((item) =>
    item.type === "text"
      ? new TextBlock(item.text)
      : new ImageBlock({ format: item.mimeType.replace(/^image\//, ""), source: { bytes: fromBase64(item.data) } }),
  );

/** Blocks, as their JSON has them, as a tool's content. Throws for a kind that no tool here returns. */
export function fromBlocks(blocks: readonly Record<string, unknown>[]): Content[] {
  return blocks.map((block) => {
    if (typeof block.text === "string") return { type: "text", text: block.text };
    if ("json" in block) return { type: "text", text: JSON.stringify(block.json) };
    const image = block.image as { format: string; source: { bytes: string } } | undefined;
    if (typeof image?.source?.bytes === "string")
      return { type: "image", data: image.source.bytes, mimeType: `image/${image.format}` };
    throw new TypeError(`a tool's result has no block of ${Object.keys(block).join(", ") || "nothing"}`);
  });
}

declare const atob: (text: string) => string;
declare const btoa: (text: string) => string;

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
