import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";

interface Method {
  name: string;
  params: { name: string; required: boolean }[];
  result?: object;
}

type Part = "methods" | "x-from-cordon";

const document = JSON.parse(readFileSync(join(PACKAGE_ROOT, "docs", "openrpc.json"), "utf8")) as Record<Part, Method[]>;
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(document, "openrpc");

/** Checks of the params and results of one side's methods, as `docs/openrpc.json` has them. */
const checksOf = (part: Part) =>
  new Map(
    document[part].map(({ name, params, result }, at) => {
      const here = `openrpc#/${part}/${at}`;
      const given = {
        type: "object",
        properties: Object.fromEntries(params.map((one, n) => [one.name, { $ref: `${here}/params/${n}/schema` }])),
        required: params.filter(({ required }) => required).map((one) => one.name),
        additionalProperties: false,
      };
      return [name, { params: given, result: result && { $ref: `${here}/result/schema` } }];
    }),
  );

const CHECKS = { agent: checksOf("methods"), cordon: checksOf("x-from-cordon") };
const compiled = new Map<object, ValidateFunction>();

function faultOf(schema: object | undefined, value: unknown, what: string): string | undefined {
  if (!schema) return `${what} is not in docs/openrpc.json`;
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  return check(value) ? undefined : `${what}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value)}`;
}

/** What docs/openrpc.json says against these params of a message from this side, if anything. */
export const paramsFault = (from: "agent" | "cordon", method: string, params: unknown = {}): string | undefined =>
  faultOf(CHECKS[from].get(method)?.params, params, `the params of ${method}`);

/** The same of the result of a request that this side made. */
export const resultFault = (from: "agent" | "cordon", method: string, result: unknown): string | undefined =>
  faultOf(CHECKS[from].get(method)?.result, result, `the result of ${method}`);
