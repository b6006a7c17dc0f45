import type * as pako from "pako";
import { host } from "./host.ts";

/** zlib in JavaScript. */
export const loadPako = (): typeof pako => host.library("zlib");
