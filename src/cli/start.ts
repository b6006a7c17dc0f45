#!/usr/bin/env node
import { isSupported, wantedNode } from "./supported-node.ts";

// The command itself imports what an older Node cannot read: it would end with a stack trace of somebody else's code.
if (isSupported(process.versions.node)) void import("./main.ts");
else {
  process.stderr.write(`${wantedNode(process.versions.node)}\n`);
  process.exitCode = 1;
}
