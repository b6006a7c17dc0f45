import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { exportFindings } from "../../src/cli/doctor-export.ts";

/** A receiver that refuses a HEAD, as collectors do, or one that is gone. */
async function receiver(isThere: boolean): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(405).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  if (!isThere) await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

test("a receiver that answers is fine, and one that does not is a fault", async () => {
  expect(await exportFindings({ [ENDPOINT]: await receiver(true) })).toMatchObject([{ ok: true }]);
  const gone = await receiver(false);
  expect(await exportFindings({ [ENDPOINT]: gone })).toMatchObject([
    { ok: false, detail: expect.stringMatching(new RegExp(`^nothing answers at ${gone}/, .*ECONNREFUSED`)) },
  ]);
  const secret = (await receiver(true)).replace("//", "//me:word@");
  expect(await exportFindings({ [ENDPOINT]: secret })).toMatchObject([{ ok: true }]);
  expect(JSON.stringify(await exportFindings({ [ENDPOINT]: gone.replace("//", "//me:word@") }))).not.toContain("word");
});

test.each<[env: Record<string, string>, says: string[]]>([
  [{ [ENDPOINT]: "localhost:4318" }, [`${ENDPOINT} is no address`]],
  [{ [ENDPOINT]: "http:///x" }, [`${ENDPOINT} is no address`]],
  [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "collector" }, ["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is no address"]],
  [
    { [ENDPOINT]: "x", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    ["OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Cordon sends http/protobuf", `${ENDPOINT} is no address`],
  ],
])("what can send nothing is a fault: %j", async (env, says) => {
  const found = await exportFindings(env);
  expect(found.map(({ ok, detail }) => [ok, detail])).toEqual(
    says.map((text) => [false, expect.stringContaining(text)]),
  );
});

test.each([{}, { OTEL_LOGS_EXPORTER: "console" }, { [ENDPOINT]: "x", OTEL_SDK_DISABLED: "true" }])(
  "without a receiver there is nothing to say: %j",
  async (env) => expect(await exportFindings(env)).toEqual([]),
);
