import { expect, test } from "vitest";
import { POLYFILLS } from "../../sandbox/wire/lazy-code.ts";
import { ask, startAnswering } from "../powers/provider-facts.ts";
import { onToolCall, startSession } from "../support/session.ts";

const NAMES = Object.values(POLYFILLS).flat();

/** Where a hook's code runs when it first reads a global. */
const WAITS = ["", "await 1;", "await sleep(5);", 'await raw("exec", "true", [], {}).catch(() => {});'];

test.each(NAMES)(
  "%s is there wherever a hook's code runs when it first reads it, called by the runtime too",
  async (name) => {
    for (const wait of WAITS) {
      const { host } = await startAnswering(`${wait} yield* said(typeof ${name});`);
      const events = await ask(host);
      expect([wait, events.at(-1)]).toEqual([wait, expect.objectContaining({ type: "done" })]);
      expect(JSON.stringify(events.at(-1))).toContain('"text":"function"');
    }
  },
);

const said = async (body: string): Promise<unknown> => {
  const { call } = await startSession({
    one: onToolCall(`return { block: true, reason: String((() => { ${body} })()) };`),
  });
  const verdict = await call();
  return verdict && "block" in verdict ? verdict.reason : verdict;
};

// biome-ignore format: a table
const READS: [claim: string, body: string, says: string][] = [
  ["each file is evaluated once", "return [URL === URL, new URL('a:b?c=d').searchParams instanceof URLSearchParams, TextEncoder === TextEncoder];", "true,true,true"],
  ["what a hook puts in its place counts, before it was read and after", "URL = 1 as any; const before = URL; atob('YQ=='); atob = 2 as any; return [before, atob, typeof URLSearchParams, typeof btoa];", "1,2,function,function"],
  ["they are writable, hidden from a loop, and can be removed", "void URL; const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, 'URL') as any; delete (globalThis as any).URL; return [writable, enumerable, configurable, typeof URL];", "true,false,true,undefined"],
  ["an error of theirs is the realm's own", "try { atob('*'); } catch (error: any) { return [error instanceof DOMException, error.name, error.code]; }", "true,InvalidCharacterError,5"],
  ["built-ins that a hook replaced change what it gets, and end nothing", "Object.defineProperty = (() => { throw new Error('mine'); }) as any; try { return typeof structuredClone; } catch (error: any) { return error.message; }", "mine"],
  ["one that was read where the stack ends is made later", "const deep = () => { try { deep(); } catch { try { void URL; } catch {} } }; deep(); return typeof URL;", "function"],
  ["one that could not be made is made when it is read again", "const { defineProperty } = Object; Object.defineProperty = (() => { throw new Error('mine'); }) as any; try { void URL; } catch {} Object.defineProperty = defineProperty; return typeof URL;", "function"],
];

test.each(READS)("%s", async (_claim, body, says) => {
  expect(await said(body)).toBe(says);
});
