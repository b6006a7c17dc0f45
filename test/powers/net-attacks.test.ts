import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { attemptAll } from "./net-attack.ts";
import { framing, injections, sizes } from "./net-attacks-messages.ts";
import { disguises, metadata, names, otherSelves, parts, ports, schemes, spellings } from "./net-attacks-places.ts";
import { redirects } from "./net-attacks-redirects.ts";

const SUITES = {
  "an address is the same in any spelling": spellings,
  "a grant for one name of a server does not cover its other names": otherSelves,
  "a grant for a name does not cover names that look like it": names,
  "a URL is read in one way": disguises,
  "only the granted port is reached": ports,
  "private addresses are reached only if the grant names them": metadata,
  "only http and https are used": schemes,
  "an endpoint in parts is checked as a whole": parts,
  "a redirect is checked like a request": redirects,
  "headers and methods inject nothing": injections,
  "the host decides where a message ends": framing,
  "bodies have a limit": sizes,
};

for (const [promise, attacks] of Object.entries(SUITES)) test(promise, () => attemptAll(sampled(attacks)));

test("no two attacks of a suite have the same name", () => {
  for (const attacks of Object.values(SUITES))
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
});
