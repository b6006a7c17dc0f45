/** The content blocks of a tool's result in `@strands-agents/sdk`. */

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

  constructor(data: Pick<JsonBlock, "json">) {
    this.json = data.json;
  }

  toJSON(): object {
    return { json: this.json };
  }
}

/** An image, given as bytes. A hook's result cannot refer to an image by URL. */
export class ImageBlock {
  readonly type = "imageBlock";
  /** For example "png". */
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

  constructor(data: Pick<ToolResultBlock, "toolUseId" | "status" | "content" | "error">) {
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

declare const btoa: (text: string) => string;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
