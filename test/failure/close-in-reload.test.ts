import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { sandboxesOf } from "../sandbox/proc.ts";
import { LONG } from "../support/length.ts";
import { on, onToolCall, startSession, writeFiles } from "../support/session.ts";
import { children, GroupWatch } from "./processes.ts";

const GATE = onToolCall('if (event.input.command === "rm") return { block: true, reason: "no rm" };');
const GRANT = { limits: { cpuMs: 50 } };

const BROKEN = [
  { name: "cannot be built", source: "export default function (pi) { {" },
  { name: "throws when it is loaded", source: 'throw new Error("no");' },
  { name: "ends its sandbox when it is loaded", source: "for (;;) {}" },
];
const SINCE = [
  { since: "mended since", mend: (source: string) => `${GATE}\n// instead of: ${source}` },
  { since: "still broken", mend: (source: string) => source },
];
/** ms between the two; "at once" means in the same turn of the event loop. A build takes longer than most of them, a load than a few. */
const GAPS = LONG ? (["at once", 0, 5, 10, 20, 30, 45, 60, 150] as const) : (["at once", 10, 45] as const);

/** A host that hangs would otherwise stop the whole test run. */
const soon = <T>(what: string, promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    delay(20_000, undefined, { ref: false }).then(() => Promise.reject(new Error(`never: ${what}`))),
  ]);

const NEIGHBOUR = on("session", "return { cancel: true };");
const SITUATIONS = [
  ...BROKEN.map((broken) => ({ ...broken, beside: "alone", others: {} })),
  { ...(BROKEN[1] as (typeof BROKEN)[number]), beside: "beside one that works", others: { neighbour: NEIGHBOUR } },
].flatMap((situation) => SINCE.map((since) => ({ ...situation, ...since })));

test.each(SITUATIONS)(
  "a host that is closed during the reload of a hook that $name, $since, $beside, leaves nothing behind",
  async ({ source, mend, others }) => {
    for (const gap of GAPS) {
      const before = children();
      const groups = new GroupWatch();
      const { host, call, folder } = await startSession({ gate: { source, grant: GRANT }, ...others });
      expect(host.hooks[0]).toMatchObject({ id: "gate", state: "failed" });
      writeFiles(folder, { "hooks/gate.ts": mend(source) });
      const reloaded = host.reload("gate");
      const underWay = call("rm");
      if (gap !== "at once") await delay(gap);
      await soon("the end of close", host.close());
      const after = `closed ${gap} after`;
      expect(sandboxesOf(), after).toEqual([]);
      expect(
        children().filter((pid) => !before.includes(pid)),
        after,
      ).toEqual([]);
      await soon("the end of reload", reloaded);
      expect(await soon("the verdict of a call that was under way", underWay), after).toMatchObject({ block: true });
      expect(await call("ls"), after).toEqual({ block: true, reason: "the hook host is closed", hook: "" });
      // Nothing is started later either.
      expect(await groups.left(), after).toEqual([]);
      expect(sandboxesOf(), after).toEqual([]);
    }
  },
);

test.each(BROKEN)("a reload of a hook that $name does nothing after its host closed", async ({ source }) => {
  const before = children();
  const { host, call, folder } = await startSession({ gate: { source, grant: GRANT } });
  await host.close();
  writeFiles(folder, { "hooks/gate.ts": GATE });
  const reloaded = Promise.all([host.reload("gate"), host.reload()]);
  expect(children().filter((pid) => !before.includes(pid))).toEqual([]);
  await soon("the end of reload", reloaded);
  await soon("the end of close", host.close());
  expect(host.hooks[0]?.state).toBe("failed");
  expect(sandboxesOf()).toEqual([]);
  expect(await call("ls")).toMatchObject({ block: true });
});
