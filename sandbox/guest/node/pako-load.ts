import type * as pako from "pako";
import { host } from "./host.ts";

export const loadPako = (): typeof pako => host.library("zlib") as unknown as typeof pako;
