/** Images as they are: pi's library that converts and shrinks them is WebAssembly, which no hook has. */
import { getImageDimensions } from "@earendil-works/pi-tui/dist/terminal-image.js";
import { Buffer } from "../../node/buffer.ts";

/** pi's limits for an image that a model gets. */
const MAX_SIDE = 2000;
const MAX_BASE64 = 4.5 * 1024 * 1024;

interface Limits {
  maxWidth?: number;
  maxHeight?: number;
  maxBytes?: number;
}

/** The image if it is within the limits, else null: pi's result where it cannot make an image small enough. */
export async function resizeImage(bytes: Uint8Array, mimeType: string, limits: Limits = {}): Promise<object | null> {
  const data = Buffer.from(bytes).toString("base64");
  const size = getImageDimensions(data, mimeType);
  const { maxWidth = MAX_SIDE, maxHeight = MAX_SIDE, maxBytes = MAX_BASE64 } = limits;
  if (!size || size.widthPx > maxWidth || size.heightPx > maxHeight || data.length >= maxBytes) return null;
  const [width, height] = [size.widthPx, size.heightPx];
  return { data, mimeType, originalWidth: width, originalHeight: height, width, height, wasResized: false };
}

/** Nothing was resized, so that there is nothing to say of it. */
export const formatDimensionNote = (): undefined => undefined;

/** pi's result where it cannot convert an image. */
export const convertImageBytesToPng = async (): Promise<null> => null;

/** The same for an image as text. */
export const convertToPng = async (data: string, mimeType: string): Promise<object | null> =>
  mimeType === "image/png" ? { data, mimeType } : null;
