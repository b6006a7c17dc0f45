/** The thread that exports the audit. Whatever a receiver does, only this thread waits for it. */
import { parentPort } from "node:worker_threads";
import { ROOT_CONTEXT, SeverityNumber, type SpanContext, SpanKind, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { isExported, MOST_WAITING } from "./export-settings.ts";
import { attributesOf, type Exported, type FromExporter, spanAttributesOf, type ToExporter } from "./exported.ts";

const SCOPE = "cordon";

/** Longest text of an error that is reported. */
const MAX_WHY = 200;

const tell = (told: FromExporter): void => parentPort?.postMessage(told);

interface Exporter<Item> {
  export(items: Item[], done: (result: { code: number; error?: Error }) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}

/** An exporter that also says what became of each item. */
function counted<Item>(exporter: Exporter<Item>) {
  return {
    export(items: Item[], done: (result: { code: number; error?: Error }) => void): void {
      exporter.export(items, (result) => {
        const why = result.error?.message || "the receiver refused it";
        tell(
          result.code === 0
            ? { sent: items.length, lost: 0 }
            : { sent: 0, lost: items.length, why: why.slice(0, MAX_WHY) },
        );
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** A variable of the standard that is a number of ms or of items. */
function numberIn(name: string, otherwise: number): number {
  const value = Number(process.env[name] || Number.NaN);
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise;
}

const batches = (prefix: "OTEL_BLRP" | "OTEL_BSP", delay: number) => ({
  maxQueueSize: MOST_WAITING,
  maxExportBatchSize: Math.min(MOST_WAITING, numberIn(`${prefix}_MAX_EXPORT_BATCH_SIZE`, 512)),
  scheduledDelayMillis: numberIn(`${prefix}_SCHEDULE_DELAY`, delay),
  exportTimeoutMillis: numberIn(`${prefix}_EXPORT_TIMEOUT`, 30_000),
});

const resource = defaultResource()
  .merge(resourceFromAttributes({ "service.name": "cordon", "process.pid": process.pid }))
  .merge(detectResources({ detectors: [envDetector] }));
const logs = isExported("logs", process.env)
  ? new LoggerProvider({
      resource,
      processors: [
        new BatchLogRecordProcessor({ ...batches("OTEL_BLRP", 1000), exporter: counted(new OTLPLogExporter()) }),
      ],
    })
  : undefined;
const traces = isExported("traces", process.env)
  ? new TracerProvider({
      resource,
      spanProcessors: [
        new BatchSpanProcessor({ ...batches("OTEL_BSP", 5000), exporter: counted(new OTLPTraceExporter()) }),
      ],
    })
  : undefined;
const logger = logs?.getLogger(SCOPE);
const tracer = traces?.getTracer(SCOPE);
const parent = parentIn(process.env.TRACEPARENT ?? "");

/** The trace that this process belongs to, as `TRACEPARENT` says it. */
function parentIn(text: string) {
  const [, traceId = "", spanId = "", flags = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (traceId === "") return ROOT_CONTEXT;
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, context);
}

/** Outcomes of what went as it should. */
const FINE = /^(allowed|answered|built|active|pass|rewrite|ran|started|enabled|revoked)$|^consent: /;
const BAD = /^(CRASHED|CPU_EXCEEDED|OUT_OF_MEMORY|PROTOCOL_VIOLATION|TIMEOUT|stopped|failed)$/;

/** True if it will be exported, and so counted by {@link counted}. */
function take(item: Exported): boolean {
  if ("line" in item) {
    const { line } = item;
    const [severityNumber, severityText] = FINE.test(line.outcome)
      ? [SeverityNumber.INFO, "INFO"]
      : BAD.test(line.outcome)
        ? [SeverityNumber.ERROR, "ERROR"]
        : [SeverityNumber.WARN, "WARN"];
    logger?.emit({
      eventName: "cordon.audit",
      timestamp: new Date(line.time),
      severityNumber,
      severityText,
      body: [line.outcome, line.hook, line.event, line.capability, line.value].filter(Boolean).join(" "),
      attributes: attributesOf(line),
      context: parent,
    });
    return logger !== undefined;
  }
  const { timed } = item;
  const span = tracer?.startSpan(
    timed.tool ? `${timed.name} ${timed.tool.name}` : timed.name,
    { kind: SpanKind.INTERNAL, startTime: timed.start, attributes: spanAttributesOf(timed) },
    parent,
  );
  const isRecorded = span?.isRecording() === true;
  span?.end(timed.end);
  return isRecorded;
}

parentPort?.on("message", (message: ToExporter) => {
  if (message === "flush") {
    void Promise.all([logs?.forceFlush(), traces?.forceFlush()]).catch(() => {});
    return;
  }
  const left = message.items.filter((item) => !take(item)).length;
  // Nobody wants them: of a signal that is off, or of a trace that is not sampled.
  if (left > 0) tell({ sent: left, lost: 0 });
});

// It has begun.
tell({ sent: 0, lost: 0 });
