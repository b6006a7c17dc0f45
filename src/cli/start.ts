#!/usr/bin/env node
import { isSupported, wantedNode } from "./supported-node.ts";

// The command imports modules that an old Node cannot parse: it would end with a stack trace of other code.
if (isSupported(process.versions.node)) void import("./main.ts");
else {
  process.stderr.write(`${wantedNode(process.versions.node)}\n`);
  process.exitCode = 1;
}
