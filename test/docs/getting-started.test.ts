import { join } from "node:path";
import { expect, test } from "vitest";
import { SETUPS } from "../../src/agents/setup/setups.ts";
import { tablesOf } from "./page-tables.ts";
import { pageAt } from "./pages.ts";

const HOME = join("/", "home", "you");

/** Agents that run commands of Cordon's: the others have a plugin, or load Cordon. */
const PLUGINS = ["pi", "pi-0.27", "openclaw", "opencode"];
const agents = SETUPS.filter(({ name }) => !PLUGINS.includes(name));
const tables = tablesOf(pageAt("docs/getting-started.md"));
const rows = tables.find(({ head }) => head[0] === "agent")?.rows ?? [];

test("each agent that runs commands has its step, and the file where Cordon is entered", () => {
  expect(rows.map(([title, typed]) => [title, typed])).toEqual(
    agents.map(({ name, title }) => [title, `cordon install ${name}`]),
  );
  for (const [at, setup] of agents.entries()) {
    const [first] = setup.user({ user: HOME, env: {} }, () => "", join(HOME, ".cordon"));
    expect(rows[at]?.[2]?.split(" ")[0]).toBe(first?.file.replace(HOME, "~"));
  }
});

test("what is to be known of an agent agrees with what it can be told", () => {
  const told = tablesOf(pageAt("docs/agents.md")).find(({ head }) => head.includes("a hook's question"))?.rows ?? [];
  for (const [title, , , known = ""] of rows) {
    const [, , , question = "", changed = ""] = told.find(([agent]) => agent === title) ?? [];
    if (known.includes("cordon pending")) expect(question, title).toBe("cordon pending");
    if (known.includes("dialog of its own")) expect(question, title).toBe("its own dialog");
    if (changed.startsWith("blocked")) expect(known, title).toContain("A call that a hook changes is blocked");
    if (known.includes("is blocked")) expect(changed, title).toMatch(/^blocked/);
  }
  for (const { title, since } of agents)
    if (since) expect(rows.find(([agent]) => agent === title)?.[3]).toContain(`${since.version} or later`);
});
