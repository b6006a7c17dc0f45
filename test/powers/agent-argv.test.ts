import { expect, test } from "vitest";
import { NOWHERE } from "../../sandbox/wire/messages.ts";
import { dangersOf } from "../../src/grants/dangers.ts";
import { startFacts } from "../guest/facts.ts";

const FACTS = {
  argv: "return process.argv;",
  named: 'const { argv } = await import("node:process"); return argv;',
  env: "return process.env.CORDON_ARGV ?? null;",
};
const OWN = ["node", `${NOWHERE}/hook`];

test.each([[undefined], [["C*"]], [["CORDON_*"]], [["CORDON_ARG*"]], [["CORDON_PLACES"]]])(
  "with the variables %j a hook sees no argument of the agent, and nobody is asked",
  async (env) => {
    const { ask, errors } = await startFacts(FACTS, { grant: { capabilities: env ? { env } : {} } });
    expect(await ask("argv")).toEqual(OWN);
    expect(await ask("named")).toEqual(OWN);
    expect(errors).toEqual([]);
    expect(await ask("env")).toBeNull();
  },
);

test("with the variable CORDON_ARGV it sees them all, as the agent's process has them", async () => {
  const { ask } = await startFacts(FACTS, { grant: { capabilities: { env: ["CORDON_ARGV"] } } });
  expect(await ask("argv")).toEqual(process.argv);
  expect(await ask("named")).toEqual(process.argv);
  expect(dangersOf("env", ["CORDON_ARGV"], {})).toContain(
    "it reads how your agent was started, with all that you typed there",
  );
  expect(dangersOf("env", ["CI"], {})).toEqual([]);
});
