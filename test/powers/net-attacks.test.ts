import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { attemptAll } from "./net-attack.ts";
import { framing, injections, sizes } from "./net-attacks-messages.ts";
import { disguises, metadata, names, otherSelves, parts, ports, schemes, spellings } from "./net-attacks-places.ts";
import { redirects } from "./net-attacks-redirects.ts";

const SUITES = {
  "an address is the same however it is spelled": spellings,
  "a server is granted under one name and not under its others": otherSelves,
  "a name is granted, and not what looks like it": names,
  "a URL is read in one way": disguises,
  "a port is what the grant says": ports,
  "private addresses are asked only when they are named": metadata,
  "nothing but the web is asked": schemes,
  "a place in parts is judged as the whole": parts,
  "a redirect is judged like a request": redirects,
  "headers and methods are only what they are": injections,
  "where a message ends is the host's to say": framing,
  "bodies have a limit": sizes,
};

for (const [promise, attacks] of Object.entries(SUITES)) test(promise, () => attemptAll(sampled(attacks)));

test("no two attacks of a suite have the same name", () => {
  for (const attacks of Object.values(SUITES))
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
});
