import { createRequire } from "node:module";

/** Most lines and spans that wait to be exported. More are lost: a receiver that is slower than the hooks never slows them down. */
export const MOST_WAITING = 2048;

type Signal = "logs" | "traces";

const SIGNALS: readonly Signal[] = ["logs", "traces"];

/** True if the standard's variables ask for this signal: they name a receiver or an exporter, and switch nothing off. */
export function isExported(signal: Signal, env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  const name = signal.toUpperCase();
  const exporter = env[`OTEL_${name}_EXPORTER`]?.trim();
  if (exporter) return exporter.split(",").some((one) => one.trim() === "otlp");
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`]);
}

/** The packages that exporting takes. */
const SDK = [
  "@opentelemetry/api",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-logs",
  "@opentelemetry/sdk-trace",
  "@opentelemetry/exporter-logs-otlp-proto",
  "@opentelemetry/exporter-trace-otlp-proto",
];

const require = createRequire(import.meta.url);

const isThere = (name: string): boolean => {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
};

/** Whether the audit is exported from here; and the packages that are missing for it, if it should be. */
export function exportState(env: NodeJS.ProcessEnv): { isOn: boolean; missing: string[] } {
  if (!SIGNALS.some((signal) => isExported(signal, env))) return { isOn: false, missing: [] };
  const missing = SDK.filter((name) => !isThere(name));
  return { isOn: missing.length === 0, missing };
}
