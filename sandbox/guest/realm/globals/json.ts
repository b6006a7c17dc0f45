import { jsonReader } from "../../../wire/read-json.ts";

const { parse } = JSON;
const readJson = jsonReader(parse);

/** Makes `JSON.parse` read each key right: see `read-json.ts`. With a reviver it is V8's. */
export function installJson(): void {
  const read = {
    parse: (text: unknown, reviver: unknown): unknown =>
      typeof reviver === "function" ? parse(text as string, reviver as () => unknown) : readJson(`${text}`),
  };
  Object.defineProperty(JSON, "parse", { value: read.parse, writable: true, configurable: true });
}
