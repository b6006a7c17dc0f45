import { join } from "node:path";
import { expect, test } from "vitest";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { offeredModule, partsOf } from "../../src/bundle/offered-modules.ts";
import { whyLacking } from "../../src/bundle/pi-lacking.ts";
import { table } from "../support/markdown-table.ts";
import { onToolCall, startSession } from "../support/session.ts";
import { MEMBERS, PI_VERSION, PLACES, SESSION_EVENTS } from "./pi-members.ts";

const PAGE = join(PACKAGE_ROOT, "docs", "pi-members.md");

const MODULES = [
  "@earendil-works/pi-tui",
  "@earendil-works/pi-coding-agent",
  "@earendil-works/pi-ai",
  "@earendil-works/pi-ai/compat",
] as const;

/** What a hook is told when it calls a member that is impossible. */
async function reasons(): Promise<Map<string, string>> {
  const members = Object.entries(MEMBERS).flatMap(([type, all]) =>
    [...all].flatMap(([name, status]) => (status === "impossible" ? [`${PLACES[type]}.${name}`] : [])),
  );
  const { call } = await startSession({
    gate: onToolCall(
      `const said = [${members.map((member) => `() => ${member}(() => {})`)}].map((use) => {
         try { use(); return "nothing"; } catch (error: any) { return error.message; } });
       return { block: true, reason: said.join("\\n") };`,
    ),
  });
  const verdict = await call();
  const lines = verdict && "reason" in verdict ? verdict.reason.split("\n") : [];
  return new Map(members.map((member, at) => [member, lines[at]?.replace(/^.*: /, "") ?? ""]));
}

const byName = ([one]: readonly string[], [other]: readonly string[]): number => ((one ?? "") < (other ?? "") ? -1 : 1);

/** The exports of a package of pi's, and what each is in a hook. */
async function exportsOf(module: string): Promise<string[][]> {
  const real: Record<string, unknown> = await import(module);
  const parts = partsOf(offeredModule(module) ?? "");
  const names = new Set([...Object.keys(real), ...(parts?.keys() ?? [])]);
  return [...names]
    .map((name) => [`\`${name}\``, parts?.has(name) ? "works" : `not offered: ${whyLacking(name)}`])
    .sort(byName);
}

test("the page of members is that of the guest, of pi's types and of its packages", async () => {
  const why = await reasons();
  const sections = Object.entries(MEMBERS).map(([type, members]) => {
    const place = PLACES[type] ?? "";
    const rows = [...members].map(([name, status]) => {
      const reason = why.get(`${place}.${name}`);
      return [`\`${place}.${name}\``, reason === undefined ? status : `${status}: ${reason}`];
    });
    return `## \`${type}\`\n\n${table(["member", "in a hook"], rows.sort(byName))}`;
  });
  const events = [...EVENT_NAMES, ...SESSION_EVENTS].sort().map((name) => `\`${name}\``);
  const modules: string[] = [];
  for (const module of MODULES)
    modules.push(`## \`${module}\`\n\n${table(["export", "in a hook"], await exportsOf(module))}`);
  const page = `# Members of pi's API

What each member of the extension API of pi ${PI_VERSION}, each event and each export of its packages is in a hook.
\`left out\`: it does nothing, and says so once. \`impossible\`, \`not offered\`: it throws, and names itself; \`cordon check\` finds
it in a hook. Most of what works needs a grant: see [powers](powers.md). The exports are those of 0.87.1, whose code runs in hooks.

This page is made by \`test/dialects/pi-members-page.test.ts\`: run it with \`-u\` after a change.

${sections.join("\n\n")}

## Events

All can be heard. Those that pi has not come from other agents: see [agents](agents.md#events-besides-calls).

${table(
  ["event"],
  events.map((name) => [name]),
)}

${modules.join("\n\n")}
`;
  await expect(page).toMatchFileSnapshot(PAGE);
});

test.each(MODULES)("what no hook has of %s has a reason", async (module) => {
  const rows = await exportsOf(module);
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter(([, status]) => status?.includes("undefined"))).toEqual([]);
});
