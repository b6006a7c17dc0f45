import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXTENSION_EVENTS, type ExtensionEvent, rightFor } from "../../sandbox/wire/events.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { table } from "../support/markdown-table.ts";
import { openrpcDocument } from "./openrpc-document.ts";

const source = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), "utf8");
const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

/** Splits a text where a separator stands outside of brackets. */
function split(text: string, separator: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    if ("{[(<".includes(char)) depth++;
    if ("}])>".includes(char)) depth--;
    if (char === separator && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** The fields of each event in the types of `src/extension-events.ts`, as they are written there. */
export function extensionEventFields(): Map<string, string[]> {
  const text = source("src/extension-events.ts").replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
  const found = new Map<string, string[]>();
  for (const [, types = "", rest = ""] of text.matchAll(
    /\{\s*type: ((?:"\w+"(?: \| )?)+);?([\s\S]*?)\}(?=\s*(?:\||;\n))/g,
  ))
    for (const [, type = ""] of types.matchAll(/"(\w+)"/g)) found.set(type, split(rest.replaceAll(/\s+/g, " "), ";"));
  return found;
}

function extensionEvents(): string {
  const fields = extensionEventFields();
  const rows = Object.entries(EXTENSION_EVENTS as Record<string, ExtensionEvent>).map(([name, event]) => {
    const decides = Object.keys(event.decides ?? {});
    const rights = [...new Set(decides.map((member) => rightFor(event, member)))];
    return [
      `${code(name)}`,
      (fields.get(name) ?? []).map(code).join(", "),
      rights.map((right) => code(String(right))).join(", "),
      decides.map(code).join(", "),
      event.texts.map(code).join(", "),
    ];
  });
  return table(["event", "fields", "right", "may return", "needs `session`"], rows);
}

/** Each command of `src/cli/main.ts`, with its usage and its flags, but for those that a host's commands share. */
function commands(): string {
  const text = source("src/cli/main.ts");
  const starts = [...text.matchAll(/(?:command|ofProject)\(\s*"([^"]+)",\s*"([^"]+)"(?:, (\w+))?/g)];
  const parents = new Map<string, string>();
  const rows = starts.map((found, at) => {
    const [, usage = "", description = "", parent = ""] = found;
    const part = text.slice(found.index, starts[at + 1]?.index ?? text.indexOf("for (const command"));
    const variable = /const (\w+) = $/.exec(text.slice(0, found.index))?.[1];
    if (variable) parents.set(variable, usage);
    const words = [...part.matchAll(/(?:\.argument|new Argument)\(\s*"([^"]+)"/g)].map(([, argument]) => argument);
    const flags = [...part.matchAll(/\.(?:requiredOption|option)\(\s*"(--[^"]+)"/g)].map(([, flag = ""]) => flag);
    const ofProject = found[0].startsWith("ofProject") ? ["--cwd <dir>"] : [];
    const all = ["cordon", parents.get(parent), usage, ...words].filter(Boolean).join(" ");
    // A command with parts may do something by itself, too.
    return variable && !part.includes(".action(")
      ? undefined
      : [code(all), description, [...flags, ...ofProject].map(code).join(", ")];
  });
  return table(
    ["command", "what it does", "flags"],
    rows.filter((row) => row !== undefined),
  );
}

const { methods, "x-from-cordon": sent, "x-errors": errors } = openrpcDocument();

const signature = ({ params }: { params: { name: string; required: boolean }[] }): string =>
  params.length === 0
    ? ""
    : code(`{ ${params.map(({ name, required }) => `${name}${required ? "" : "?"}`).join(", ")} }`);

type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  type?: string | string[];
  enum?: string[];
  items?: Schema;
};

/** A schema in a few words. */
function words(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.anyOf) return schema.anyOf.map(words).join(" | ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (schema.properties) {
    const { required = [] } = schema;
    return `{ ${Object.keys(schema.properties)
      .map((name) => (required.includes(name) ? name : `${name}?`))
      .join(", ")} }`;
  }
  if (schema.items) return `${words(schema.items)}[]`;
  return [schema.type ?? "any value"].flat().join(" | ");
}

const resultOf = (method: object): string => {
  const { result } = method as { result?: { schema: Schema } };
  return result ? code(words(result.schema)) : "";
};

/** Tables of the pages that are made from the source, by the name between `<!-- begin NAME -->` and `<!-- end NAME -->`. */
export const TABLES: Readonly<Record<string, () => string>> = {
  commands,
  "extension-events": extensionEvents,
  "rpc-requests": () =>
    table(
      ["method", "params", "result", "what it does"],
      methods.map((one) => [code(one.name), signature(one), resultOf(one), one.summary]),
    ),
  "rpc-from-cordon": () =>
    table(
      ["method", "kind", "params", "result", "what it does"],
      sent.map((one) => [
        code(one.name),
        "result" in one ? "request" : "notification",
        signature(one),
        resultOf(one),
        one.summary,
      ]),
    ),
  "rpc-errors": () =>
    table(
      ["code", "means"],
      errors.map(({ code, message }) => [`\`${code}\``, message ?? ""]),
    ),
  "error-codes": () =>
    table(
      ["code", "means"],
      [...source("src/base/errors.ts").matchAll(/\/\*\* ([^\n]+) \*\/\n {2}("[A-Z_]+"),/g)].map(
        ([, text = "", name = ""]) => [code(JSON.parse(name)), text],
      ),
    ),
};
