import type * as streams from "web-streams-polyfill";
import { host } from "./host.ts";

/** The streams of the web's standard in JavaScript. */
export const loadWebStreams = (): typeof streams => host.library("web-streams");
