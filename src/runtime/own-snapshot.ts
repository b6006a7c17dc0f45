import { statSync } from "node:fs";
import { attemptOr } from "../base/attempt.ts";
import { nodeHere } from "./nodes.ts";

/**
 * Whether this Node may use its own start-up snapshot in a process with isolates of isolated-vm, which spares a third of a start.
 * All isolates of a process share V8's read-only objects, and these come from the snapshot of the first. In the Node that Cordon
 * brings they are the same in Node's snapshot and in V8's: `test/runtime/v8-snapshots.ts` finds it in the bytes of the program.
 */
export const mayUseOwnSnapshot = (node: string, version: string): boolean =>
  nodeHere()?.spec.endsWith(`@${version}`) === true && isOurNode(node);

/** Whether a program is as long as the Node that Cordon brings. */
export const isOurNode = (node: string): boolean => sizeOf(node) === nodeHere()?.program;

const sizeOf = (file: string): number | undefined => attemptOr(() => statSync(file).size, undefined);
