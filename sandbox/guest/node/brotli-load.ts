import type * as brotli from "brotli-compress/js";
import { host } from "./host.ts";

/** Brotli's own decoder in JavaScript. */
export const loadBrotli = (): Pick<typeof brotli, "decompress"> => host.library("brotli");
