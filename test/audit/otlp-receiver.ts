import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import root from "otlp-proto/build/src/generated/root.js";
import { onTestFinished } from "vitest";

interface Attribute {
  key?: string;
  value?: Any;
}

interface OtlpLog {
  eventName?: string;
  severityText?: string;
  timeUnixNano: unknown;
  body?: Any;
  attributes?: Attribute[];
}

interface OtlpSpan {
  name?: string;
  traceId: Uint8Array;
  parentSpanId?: Uint8Array;
  startTimeUnixNano: unknown;
  endTimeUnixNano: unknown;
  attributes?: Attribute[];
}

interface Resource {
  resource?: { attributes?: Attribute[] };
}

interface Logs {
  resourceLogs: (Resource & { scopeLogs?: { logRecords?: OtlpLog[] }[] })[];
}

interface Traces {
  resourceSpans: (Resource & { scopeSpans?: { spans?: OtlpSpan[] }[] })[];
}

/** The package has no types for its messages. */
type Message<T> = { decode(body: Buffer): T };
interface Collector {
  logs: { v1: { ExportLogsServiceRequest: Message<Logs> } };
  trace: { v1: { ExportTraceServiceRequest: Message<Traces> } };
}
const { logs, trace } = (root as unknown as { opentelemetry: { proto: { collector: Collector } } }).opentelemetry.proto
  .collector;

export type Values = Record<string, string | number | boolean>;

export interface Log {
  event: string;
  severity: string;
  time: string;
  body: string;
  attributes: Values;
}

export interface Span {
  name: string;
  traceId: string;
  parent: string;
  ms: number;
  attributes: Values;
}

type Answer = (response: ServerResponse) => void;

interface Any {
  stringValue?: string;
  intValue?: number | { toNumber(): number };
  boolValue?: boolean;
}

const valueIn = ({ stringValue, intValue, boolValue }: Any): string | number | boolean =>
  stringValue || (typeof intValue === "object" ? intValue?.toNumber() : intValue) || boolValue || stringValue || 0;

const valuesOf = (list: readonly Attribute[] = []): Values =>
  Object.fromEntries(list.map(({ key = "", value = {} }) => [key, valueIn(value)]));

const millis = (nanos: unknown): number => Math.round(Number(String(nanos)) / 1e6);
const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("hex");

/** A receiver of OTLP over HTTP on 127.0.0.1 that decodes with the published definitions. Closed when the test ends. */
export class OtlpReceiver {
  readonly logs: Log[] = [];
  readonly spans: Span[] = [];
  /** Attributes of what sends. */
  resource: Values = {};
  requests = 0;
  url = "";

  /** `answer`: how each request is answered, if not as it should be. */
  static async start(answer: Answer = (response) => response.end()): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("error", () => {});
      response.on("error", () => {});
      request.on("end", () => {
        receiver.requests++;
        receiver.#take(request.url ?? "", Buffer.concat(parts));
        answer(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return receiver;
  }

  #take(path: string, body: Buffer): void {
    if (path === "/v1/logs")
      for (const { resource, scopeLogs } of logs.v1.ExportLogsServiceRequest.decode(body).resourceLogs) {
        this.resource = valuesOf(resource?.attributes);
        for (const log of (scopeLogs ?? []).flatMap(({ logRecords }) => logRecords ?? []))
          this.logs.push({
            event: log.eventName ?? "",
            severity: log.severityText ?? "",
            time: new Date(Math.round(millis(log.timeUnixNano))).toISOString(),
            body: log.body?.stringValue ?? "",
            attributes: valuesOf(log.attributes),
          });
      }
    else if (path === "/v1/traces")
      for (const { scopeSpans } of trace.v1.ExportTraceServiceRequest.decode(body).resourceSpans)
        for (const span of (scopeSpans ?? []).flatMap(({ spans }) => spans ?? []))
          this.spans.push({
            name: span.name ?? "",
            traceId: hex(span.traceId),
            parent: hex(span.parentSpanId),
            ms: millis(span.endTimeUnixNano) - millis(span.startTimeUnixNano),
            attributes: valuesOf(span.attributes),
          });
    else throw new Error(`a request for ${path}`);
  }
}
