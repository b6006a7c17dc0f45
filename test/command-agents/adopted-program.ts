/** Takes one entry out of an agent: `node adopted-program.ts HOME ENTRY`, the entry as JSON. */
import { takeOut } from "../../src/agents/setup/adopted.ts";

const [home = "", entry = "", instead] = process.argv.slice(2);
takeOut(
  home,
  { agent: "pi", hooks: ["gate"] },
  JSON.parse(entry),
  instead === undefined ? undefined : JSON.parse(instead),
);
