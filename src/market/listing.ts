/** The thread that lists what npm packs of a folder: patterns of a stranger keep only this thread busy. */
import { parentPort, workerData } from "node:worker_threads";
import packlist from "npm-packlist";

parentPort?.postMessage(await packlist(workerData));
