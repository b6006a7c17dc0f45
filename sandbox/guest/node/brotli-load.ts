import type * as brotli from "brotli-compress/js";
import { host } from "./host.ts";

export const loadBrotli = (): typeof brotli => host.library("brotli") as unknown as typeof brotli;
