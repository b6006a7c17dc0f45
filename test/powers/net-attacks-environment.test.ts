import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

type Listening = ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>;

async function listening(server: Listening, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((done) => server.listen(0, host, done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

const HOOK = onToolCall(
  `
  const asked = await fetch(event.input.url).then((r: any) => r.text(), (error: any) => error.cause?.code ?? error.code ?? String(error));
  const heard = await new Promise((done) => {
    const from = event.input.url.startsWith("https") ? https : http;
    from.get(event.input.url, (r: any) => { let body = ""; r.on("data", (part: any) => (body += part)).on("end", () => done(body)); }).on("error", (error: any) => done(error.code));
  });
  return { block: true, reason: [asked, heard].join() };`,
  'import http from "node:http"; import https from "node:https";',
);

/** The responses of a granted endpoint to a hook in an agent with this environment, and to the agent itself. */
async function inEnvironment(url: string, env: Record<string, string>): Promise<{ hook: string; plain: string }> {
  const folder = temporaryFolder();
  writeFiles(folder, { "hook.ts": HOOK, "work/x": "" });
  const capabilities = { events: { see: ["*"], block: true }, net: { connect: [new URL(url).host] } };
  const options = {
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    discover: false,
    hooks: [{ path: join(folder, "hook.ts"), grant: { capabilities } }],
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--no-warnings", join(import.meta.dirname, "net-attack-host.ts"), JSON.stringify({ ...options, url })],
    { env: { PATH: process.env.PATH, ...env } },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) as string);
}

/** A server, and a proxy that answers everything itself. */
async function withProxy() {
  const seen: string[] = [];
  const site = await listening(createServer((_request, response) => response.end("the site")));
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end("the proxy");
  });
  proxy.on("connect", (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    // Like a proxy that forwards everything.
    socket.end("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nthe proxy");
  });
  return { seen, site: `http://127.0.0.1:${site}/`, proxy: `http://127.0.0.1:${await listening(proxy)}` };
}

test.for(["HTTP_PROXY", "http_proxy"])("a hook's requests do not use a proxy that %s names", async (name) => {
  const { seen, site, proxy } = await withProxy();
  const { hook, plain } = await inEnvironment(site, { [name]: proxy, NODE_USE_ENV_PROXY: "1" });
  expect(hook).toBe("the site,the site");
  // The agent's own request shows that the variable works here.
  expect(plain).toBe("the proxy");
  expect(seen).toHaveLength(1);
});

test("a hook's requests do not use a proxy that an option of Node's enables", async () => {
  const { seen, site, proxy } = await withProxy();
  const env = { HTTP_PROXY: proxy, ALL_PROXY: proxy, NODE_OPTIONS: "--use-env-proxy" };
  expect(await inEnvironment(site, env)).toEqual({ hook: "the site,the site", plain: "the proxy" });
  expect(seen).toHaveLength(1);
});

async function selfSigned(host?: string) {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...made, "-subj", "/CN=localhost", "-addext", names, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  const requests: string[] = [];
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    requests.push(request.url as string);
    response.end("the site");
  });
  return { cert, requests, port: await listening(server, host) };
}

test("an untrusted certificate is refused, whatever the agent's settings", async () => {
  const { requests, port } = await selfSigned();
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const { hook, plain } = await inEnvironment(`https://127.0.0.1:${port}/`, env);
  expect(hook).toBe("DEPTH_ZERO_SELF_SIGNED_CERT,DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(plain).toBe("the site");
  expect(requests).toHaveLength(1);
});

test("a certificate that the agent's own settings trust is accepted, for its own names", async () => {
  const { cert, port } = await selfSigned();
  const env = { NODE_EXTRA_CA_CERTS: cert };
  expect((await inEnvironment(`https://127.0.0.1:${port}/`, env)).hook).toBe("the site,the site");
  expect((await inEnvironment(`https://localhost:${port}/`, env)).hook).toBe("the site,the site");
  const other = await selfSigned("127.0.0.2");
  const refused = await inEnvironment(`https://127.0.0.2:${other.port}/`, { NODE_EXTRA_CA_CERTS: other.cert });
  expect(refused.hook).toBe("ERR_TLS_CERT_ALTNAME_INVALID,ERR_TLS_CERT_ALTNAME_INVALID");
  expect(other.requests).toEqual([]);
});
