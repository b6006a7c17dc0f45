/** `node:perf_hooks`: the global clock. Of what else it measures a hook sees nothing. */
import { notOffered } from "./host.ts";

export const performance = globalThis.performance;
export const PerformanceObserver = notOffered("perf_hooks", "PerformanceObserver");
export const monitorEventLoopDelay = notOffered("perf_hooks", "monitorEventLoopDelay");
export const createHistogram = notOffered("perf_hooks", "createHistogram");
export default { performance, PerformanceObserver, monitorEventLoopDelay, createHistogram };
