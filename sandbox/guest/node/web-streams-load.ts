/** The streams of the web's standard in JavaScript. */
import type * as streams from "web-streams-polyfill";
import { host } from "./host.ts";

export const loadWebStreams = (): typeof streams => host.library("web-streams") as unknown as typeof streams;
