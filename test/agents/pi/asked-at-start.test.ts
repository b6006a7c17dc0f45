import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { lacksNamespace, PI_VERSIONS } from "./install.ts";
import { piWith } from "./scenes.ts";

const HOOK = {
  source: `export default (pi) => pi.on("session_start", async (_event, ctx) => {
    try { ctx.ui.notify("it said " + (await pi.exec("echo", ["asked"])).stdout.trim()); }
    catch (error) { ctx.ui.notify(error.code); }
  });`,
  capabilities: { events: { see: ["session"] }, ui: ["notify"] },
};

describe.each(PI_VERSIONS)("a power that is asked for as pi %s starts", needs(lacksNamespace()), (version) => {
  test("in rpc mode, where pi hears no answer yet, pi starts, and the answer counts the next time", async () => {
    const scene = await piWith(
      { asks: HOOK },
      {
        version,
        mode: "rpc",
        answer: ({ method, options }) => (method === "select" ? { value: options.at(-1) } : undefined),
      },
    );
    await scene.idle();
    const told = () => scene.shown("notify").map(({ message }) => message);
    expect(scene.shown("select").map(({ options }) => options.at(-1))).toEqual(["Allow always"]);
    expect(told()).toContain("[hook asks] NOT_GRANTED");
    await scene.send({ type: "new_session" });
    await scene.idle();
    expect(told()).toContain("[hook asks] it said asked");
  });
});
