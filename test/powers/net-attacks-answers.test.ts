import { expect, test } from "vitest";
import { exchanged, freePort, GET, isOpen, startServing, statusOf, wire } from "./net-attack-server.ts";

/** What a handler does with a response. The client must not see more than one response. */
interface Answer {
  name: string;
  body: string;
  /** The closest act that works. */
  works: string;
}

const INJECTED: Answer[] = [
  ...["\\r\\n", "\\n", "\\r", "\\0", "\\u010a", "\\u560d\\u560a"].flatMap((end) => [
    {
      name: `${end} in a value`,
      body: `r.setHeader("x-a", "b${end}X-Evil: 1"); r.end("x");`,
      works: `r.setHeader("x-a", "b\\té"); r.end("x");`,
    },
    {
      name: `${end} in a status text`,
      body: `r.statusMessage = "OK${end}X-Evil: 1"; r.end("x");`,
      works: `r.statusMessage = "Very well"; r.end("x");`,
    },
  ]),
  ...["x-a\\r\\nX-Evil", "x a", "x-a:", ""].map((name) => ({
    name: `${JSON.stringify(name)} as a name`,
    body: `r.setHeader("${name}", "1"); r.end("x");`,
    works: `r.setHeader("x-!#$%&'*+.^_|~", "1"); r.end("x");`,
  })),
];

/** More than the host accepts: the hook gets an error, and its process survives. */
const EXCESSIVE: Answer[] = [
  { name: "a status above 599", body: `r.statusCode = 600; r.end("x");`, works: `r.statusCode = 599; r.end("x");` },
  { name: "a status below 200", body: `r.writeHead(101); r.end("x");`, works: `r.writeHead(200); r.end("x");` },
  {
    name: "a status that is not a number",
    body: `r.writeHead("abc"); r.end("x");`,
    works: `r.writeHead("201"); r.end("x");`,
  },
  { name: "a status that is missing", body: `r.writeHead(); r.end("x");`, works: `r.writeHead(200); r.end("x");` },
  {
    name: "a status text of more than 256 characters",
    body: `r.statusMessage = "x".repeat(257); r.end("x");`,
    works: `r.statusMessage = "x".repeat(256); r.end("x");`,
  },
  {
    name: "a header of more than 32 KiB",
    body: `r.setHeader("x-a", "x".repeat(32769)); r.end("x");`,
    works: `r.setHeader("x-a", "x".repeat(32768)); r.end("x");`,
  },
  {
    name: "more than 100 headers",
    body: `r.setHeader("x-a", Array.from({ length: 101 }, () => "b")); r.end("x");`,
    works: `r.setHeader("x-a", Array.from({ length: 100 }, () => "b")); r.end("x");`,
  },
  {
    name: "more than 5 MiB",
    body: `for (let at = 0; at < 6; at++) r.write(new Uint8Array(1048576)); r.end();`,
    works: `for (let at = 0; at < 4; at++) r.write(new Uint8Array(1048576)); r.end();`,
  },
];

/** A hook that answers `/attack` and `/works` so, and any other path with `well`. */
async function answering({ body, works }: Answer) {
  const port = await freePort();
  const start = `await started((request: any, r: any) => {
    r.on("error", () => {});
    try {
      if (request.url === "/attack") { ${body} } else if (request.url === "/works") { ${works} } else r.end("well");
    } catch (error: any) { r.destroy(); }
  }, ${port});`;
  const { ask, errors } = await startServing([port], { start });
  await ask("start");
  return { port, errors };
}

for (const answer of INJECTED)
  test(`${answer.name} adds nothing to an answer`, async () => {
    const { port, errors } = await answering(answer);
    const client = await wire(port);
    client.write(GET("/attack"));
    // A server whose handler fails may not answer its client: then there is no data.
    await Promise.race([client.ended, new Promise((late) => setTimeout(late, 500))]);
    expect(client.text()).not.toMatch(/^x-evil/im);
    expect(client.text()).toBe("");
    expect(statusOf(await exchanged(port, GET("/works")))).toBe(200);
    expect(errors).toEqual([]);
  });

for (const answer of EXCESSIVE)
  test(`${answer.name}: the hook survives`, async () => {
    const { port, errors } = await answering(answer);
    const client = await wire(port);
    client.write(GET("/attack"));
    await Promise.race([client.ended, new Promise((late) => setTimeout(late, 500))]);
    expect.soft(errors).toEqual([]);
    expect.soft(statusOf(await exchanged(port, GET("/works")).catch(String))).toBeGreaterThanOrEqual(200);
    expect(await exchanged(port, GET("/")).catch(String)).toContain("well");
  });

test("a server that is closed before it listens does not listen", async () => {
  const port = await freePort();
  const { ask } = await startServing([port], {
    early: `const server = http.createServer((q: any, r: any) => r.end("still here")); server.listen(${port}); server.close(); return server.listening;`,
    late: `const server = await started(undefined, ${port}); await new Promise((closed) => server.close(closed)); return server.listening;`,
  });
  expect(await ask("early")).toBe(false);
  await expect.poll(() => isOpen(port), { timeout: 5000 }).toBe(false);
  expect(await ask("late")).toBe(false);
  expect(await isOpen(port)).toBe(false);
});

test("with more requests than a hook may take in a minute, it keeps serving or closes its port, and no client waits", async () => {
  const port = await freePort();
  const { ask } = await startServing([port], {
    start: `const server = await started((q: any, r: any) => r.end("well"), ${port}); (globalThis as any).server = server;
      server.on("error", (error: any) => { (globalThis as any).told = error.code; });`,
    state: `return [(globalThis as any).server.listening, (globalThis as any).told];`,
  });
  await ask("start");
  const one = async (): Promise<number> => {
    const client = await wire(port);
    client.write(GET("/"));
    await Promise.race([client.ended, new Promise((late) => setTimeout(late, 3000))]);
    return statusOf(client.text());
  };
  let [answered, last] = [0, 200];
  for (; answered < 700 && last === 200; answered++) last = await one().catch(() => -1);
  const [listening, told] = (await ask("state")) as [boolean, string | undefined];
  expect.soft(last, `request ${answered}: listening ${listening}, told ${told}`).not.toBeNaN();
  expect(await isOpen(port)).toBe(listening);
});

test("a server that got many requests in one second answers in the next ones", async () => {
  const port = await freePort();
  const { ask, errors } = await startServing([port], {
    // Like most, without a listener for errors.
    start: `http.createServer((q: any, r: any) => r.end("well")).listen(${port});`,
    well: "return 1;",
  });
  await ask("start");
  await expect.poll(() => isOpen(port)).toBe(true);
  const one = async (): Promise<string> => {
    const client = await wire(port);
    client.write(GET("/"));
    await Promise.race([client.ended, new Promise((late) => setTimeout(late, 2000))]);
    return client.text();
  };
  for (let at = 0; at < 10; at++) await Promise.all(Array.from({ length: 20 }, () => one().catch(String)));
  await new Promise((later) => setTimeout(later, 1500));
  expect.soft(await one().catch(String)).toContain("well");
  expect.soft(await ask("well")).toBe(1);
  expect(errors).toEqual([]);
});

test("a hook cannot control another hook's server", async () => {
  const port = await freePort();
  const facts = {
    start: `(globalThis as any).seen = 0; await started((q: any, r: any) => { (globalThis as any).seen++; r.end("mine"); }, ${port});`,
    take: `return raw("net.accept", 1);`,
    answer: `return raw("net.respond", 1, 1, { status: 200, statusText: "", headers: [], body: ["utf8", "theirs"] });`,
  };
  const mine = await startServing([port], facts);
  const other = await startServing(["127.0.0.1:1"], facts);
  await mine.ask("start");
  expect(await other.ask("take")).toBe(null);
  expect(await other.ask("answer")).toBe(false);
  expect(await exchanged(port, GET("/"))).toContain("mine");
});
