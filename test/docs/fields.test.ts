import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { compile } from "./compile.ts";
import { tablesOf } from "./page-tables.ts";
import { pageAt } from "./pages.ts";
import { sharedMachine } from "./place.ts";

const shared = sharedMachine();

/** Tables whose first column has the members of a type: the page, the heading and the first title, and the type with its file. */
// biome-ignore format: a table
const TABLES: readonly (readonly [page: string, heading: string, title: string, type: string, file: string])[] = [
  ["ids-and-files", "The manifest", "key", "Manifest", "grants/manifest"],
  ["ids-and-files", "Grants", "key", "GrantEntry", "grants/grant"],
  ["ids-and-files", "The lock", "key", "LockEntry", "store/hooks-lock"],
  ["ids-and-files", "The audit", "key", "AuditLine", "audit/line"],
  ["policy", "What it says", "key", "Policy", "grants/policy"],
  ["powers", "The powers", "power", "Capabilities", "grants/schema"],
  ["powers", "events", "right", "EventsGrant", "powers/events"],
  ["powers", "exec", "key", "ExecEntry", "powers/exec-grant"],
  ["powers", "Limits", "limit", "Limits", "grants/schema"],
  ["embedding", "A hook of a host", "key", "HookInfo", "session/hook-info"],
  ["embedding", "Options", "option", "HookHostOptions", "session/options"],
  ["testing", "Write tests", "option", "HookTestOptions", "testing"],
  ["extensions", "The agent's session and functions", "key", "AgentServices", "powers/lent-session"],
  ["json-rpc", "What an agent lends", "key", "RemoteOffer", "rpc/remote-agent"],
];

/** A claim that the names in the table are the keys of the type. */
function claim([page, heading, title, type, file]: (typeof TABLES)[number], leftOut?: string): string {
  const table = tablesOf(pageAt(`docs/${page}.md`)).find(({ of, head }) => of === heading && head[0] === title);
  const names = (table?.rows ?? [])
    .map(([cell = ""]) => cell.replace(/[.(].*$/s, ""))
    .filter((name) => name !== leftOut);
  const path = JSON.stringify(join(PACKAGE_ROOT, "dist", "src", `${file}.js`));
  return `import type { ${type} } from ${path};
declare function same<One, Other>(is: [One, Other] extends [Other, One] ? true : false): void;
same<keyof ${type}, ${names.map((name) => JSON.stringify(name)).join(" | ") || "never"}>(true);`;
}

test("tables of keys and options are those of the types", async () => {
  const files = TABLES.map((one, at) => [`${at}-${one[3]}.ts`, claim(one)]);
  expect(await compile(shared.machine, "fields", Object.fromEntries(files))).toBe("");
});

/** Names of members, several in a cell, with what they take. */
const namesIn = (cell: string): string[] =>
  cell
    .replaceAll(/\([^)]*\)/g, "")
    .split(", ")
    .filter(Boolean);

test("what a host has is what the page says", async () => {
  const members = tablesOf(pageAt("docs/embedding.md")).find(({ of }) => of === "What a host has")?.rows ?? [];
  const names = members.flatMap(([cell = ""]) => namesIn(cell)).map((name) => JSON.stringify(name));
  const code = `import type { HookHost } from ${JSON.stringify(join(PACKAGE_ROOT, "dist", "src", "host", "host.js"))};
declare function same<One, Other>(is: [One, Other] extends [Other, One] ? true : false): void;
same<Extract<keyof HookHost, string>, ${names.join(" | ")}>(true);`;
  expect(await compile(shared.machine, "host", { "host.ts": code })).toBe("");
});

test("a key that is missing is found out", async () => {
  const first = TABLES[0] as (typeof TABLES)[number];
  expect(await compile(shared.machine, "missing", { "a.ts": claim(first, "dialect") })).toContain("error TS2345");
});
