import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { ConsentAnswer, ConsentQuestion } from "../../src/session/consent.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { freePort, isOpen } from "./net-attack-server.ts";

/** Does one step per call: listens at a port, by the module or directly, closes the server there, or sends a request. */
const HOOK = onToolCall(
  `
  const { step, port } = event.input;
  const tell = async () => {
    if (step === "nothing") return step;
    if (step === "raw") return "raw " + (await raw("net.listen", "127.0.0.1", port)).port;
    if (step === "fetch") return (await fetch("http://127.0.0.1:" + port + "/")).text();
    if (step === "close") return new Promise((done) => servers.get(port).close(() => done("closed")));
    const server = http.createServer((request, response) => {
      let body = "";
      request.on("data", (part: any) => (body += part)).on("end", () => response.end(request.method + " " + body + " at " + port));
    });
    await new Promise<void>((done, fail) => server.on("error", fail).listen(port, () => done()));
    servers.set(port, server);
    return "listens";
  };
  return { block: true, reason: await tell().catch((error: any) => error.code ?? error.message) };`,
  `import http from "node:http";
   const servers = new Map<number, any>();
   const raw = (method: string, ...args: any[]): Promise<any> => (globalThis as any)[Symbol.for("cordon.host")].call(method, args);`,
);

/** A hook whose manifest asks to listen there, without a grant, and a person who gives these answers in turn. */
async function asking(listen: readonly number[], answers: readonly ConsentAnswer[]) {
  const folder = temporaryFolder();
  const wants = { listen: listen.map((port) => `127.0.0.1:${port}`) };
  writeFiles(folder, {
    "hooks/webhook.ts": HOOK,
    "hooks/webhook.hook.json": JSON.stringify({
      capabilities: { events: { see: ["*"], block: true }, net: wants },
      why: { net: "to hear of a failed build" },
    }),
  });
  const home = join(folder, "home");
  const grant = (powers: object): void =>
    writeFiles(home, {
      "grants.json": JSON.stringify({
        version: 1,
        hooks: { webhook: { capabilities: { events: { see: ["*"], block: true }, ...powers } } },
      }),
    });
  grant({ env: ["HOME", "LANG"] });
  const questions: ConsentQuestion[] = [];
  const session = await startSession(
    {},
    {
      hooks: [{ path: join(folder, "hooks", "webhook.ts"), id: "webhook" }],
      home,
      ui: scriptedUi(),
      consent: (question) => answers[questions.push(question) - 1] ?? "deny",
    },
  );
  const step = async (step: "listen" | "raw" | "fetch" | "close" | "nothing", port: number): Promise<string> =>
    ((await session.call({ step, port })) as { reason: string }).reason;
  const outcomes = (): unknown[] =>
    session.audit
      .filter(({ value }) => value?.startsWith("listen "))
      .map(({ capability, value, outcome }) => [capability, value, outcome]);
  const stored = (): string => readFileSync(join(home, "grants.json"), "utf8");
  return { ...session, grant, stored, questions, step, outcomes };
}

/** From another process. */
const curl = async (port: number, body: string): Promise<string> => {
  const { stdout } = await promisify(execFile)("curl", [
    "-sS",
    "--noproxy",
    "*",
    "-d",
    body,
    `http://127.0.0.1:${port}/`,
  ]);
  return stdout;
};

test("after the answer once the server listens, and answers another process", async () => {
  const port = await freePort();
  const { step, questions, outcomes, errors, stored, host } = await asking([port], ["once"]);
  expect(await isOpen(port)).toBe(false);
  expect(await step("listen", port)).toBe("listens");
  expect(questions).toEqual([
    {
      hook: "webhook",
      capability: "net",
      value: `listen 127.0.0.1:${port}`,
      grants: `{"listen":["127.0.0.1:${port}"]}`,
      why: "to hear of a failed build",
      text: expect.stringMatching(new RegExp(`webhook.*net: listen 127\\.0\\.0\\.1:${port}`)),
    },
  ]);
  // Once allows the server, with all its requests.
  expect(await curl(port, "first")).toBe(`POST first at ${port}`);
  expect(await curl(port, "second")).toBe(`POST second at ${port}`);
  expect([questions.length, errors]).toEqual([1, []]);
  expect(outcomes()).toEqual([
    ["net", `listen 127.0.0.1:${port}`, "consent: once"],
    ["net.listen", `listen 127.0.0.1:${port}`, "allowed"],
  ]);
  expect(stored()).not.toContain("listen");
  await host.close();
  expect(await isOpen(port)).toBe(false);
});

test.for(["listen", "raw"] as const)(
  "after a denial there is no server and no further question: by %s",
  async (way) => {
    const port = await freePort();
    const { step, questions, outcomes, errors } = await asking([port], ["deny", "always"]);
    for (let times = 0; times < 2; times++) {
      expect(await step(way, port)).toBe("NOT_GRANTED");
      expect(await isOpen(port)).toBe(false);
    }
    expect(questions).toHaveLength(1);
    expect(errors).toMatchObject([
      { code: "NOT_GRANTED", error: expect.stringMatching(/cordon grant \S*webhook\S* net/) },
    ]);
    const denied = [
      ["net", `listen 127.0.0.1:${port}`, "consent: deny"],
      ["net.listen", `listen 127.0.0.1:${port}`, "NOT_GRANTED"],
    ];
    // Nobody was asked again, and the second refusal is a count, after the minute ends.
    expect(outcomes()).toEqual(denied);
  },
);

test.for(["listen", "raw"] as const)("once does not allow the same port again: by %s", async (way) => {
  const port = await freePort();
  const { step, questions } = await asking([port], ["once", "deny"]);
  expect(await step("listen", port)).toBe("listens");
  expect(await step("close", port)).toBe("closed");
  await expect.poll(() => isOpen(port)).toBe(false);
  expect(await step(way, port)).toBe("NOT_GRANTED");
  expect([questions.length, await isOpen(port)]).toEqual([2, false]);
});

test.for(["listen", "raw"] as const)("once does not allow another port of the manifest: by %s", async (way) => {
  const [port, other] = [await freePort(), await freePort()];
  const { step, questions } = await asking([port, other], ["once", "deny"]);
  expect(await step("listen", port)).toBe("listens");
  expect(await step(way, other)).toBe("NOT_GRANTED");
  expect(questions.map(({ grants }) => grants)).toEqual([
    `{"listen":["127.0.0.1:${port}"]}`,
    `{"listen":["127.0.0.1:${other}"]}`,
  ]);
  expect(await isOpen(other)).toBe(false);
  expect(await curl(port, "still")).toBe(`POST still at ${port}`);
});

test("once to listen does not allow to connect, and each further server is a question of its own", async () => {
  const [port, other] = [await freePort(), await freePort()];
  const { step, questions } = await asking([port, other], ["once", "deny", "once"]);
  expect(await step("listen", port)).toBe("listens");
  expect(await step("fetch", port)).toBe("NOT_GRANTED");
  expect(await step("listen", other)).toBe("listens");
  expect(await Promise.all([curl(port, "a"), curl(other, "b")])).toEqual([`POST a at ${port}`, `POST b at ${other}`]);
  expect(questions.map(({ value }) => value)).toEqual([
    `listen 127.0.0.1:${port}`,
    `GET 127.0.0.1:${port}`,
    `listen 127.0.0.1:${other}`,
  ]);
});

test.each([
  { claim: "stays when the grant shrinks", left: { env: ["HOME"] }, stays: true },
  { claim: "ends when the hook has no power left", left: {}, stays: false },
])("a server that was allowed once depends on no grant: it $claim", async ({ left, stays }) => {
  const port = await freePort();
  const { step, audit, grant } = await asking([port], ["once"]);
  expect(await step("listen", port)).toBe("listens");
  grant(left);
  await expect
    .poll(async () => [await step("nothing", port), audit.some(({ outcome }) => outcome === "revoked")])
    .toEqual(["nothing", true]);
  if (stays) expect(await curl(port, "still")).toBe(`POST still at ${port}`);
  else await expect(curl(port, "still")).rejects.toThrow();
});
