import type { Static, TOptional, TSchema } from "typebox";
import { CordonError, type ErrorCode } from "../base/errors.ts";
import { compile } from "../base/schema.ts";
import Type from "../base/type.ts";
import { type Algebra, record } from "../powers/algebra.ts";
import { POWERS } from "../powers/powers.ts";
import { faultIn } from "./schema-fault.ts";

export const closed = { additionalProperties: false } as const;

type Schemas = { [Name in keyof typeof POWERS]: TOptional<(typeof POWERS)[Name]["schema"]> };

/** The newest form of a file that is known here. */
const VERSION = 1;

/** The version of a file's form. */
export const version = Type.Literal(VERSION, { description: "The version of this form: 1." });

/** Powers by their key in a manifest or grant. */
export const CapabilitiesShape = Type.Object(
  Object.fromEntries(Object.entries(POWERS).map(([name, { schema }]) => [name, Type.Optional(schema)])) as Schemas,
  { ...closed, description: "Powers. What is left out is refused." },
);
export const Limits = Type.Object(
  {
    memoryMb: Type.Optional(
      Type.Integer({ minimum: 8, maximum: 2048, description: "Most memory, in MB. Default: 64." }),
    ),
    cpuMs: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 60_000, description: "Most CPU time for one event, in ms. Default: 1000." }),
    ),
    jit: Type.Optional(Type.Boolean({ description: "It runs with V8's JIT." })),
    eval: Type.Optional(Type.Boolean({ description: "It may run code from strings: eval and new Function." })),
    wasm: Type.Optional(Type.Boolean({ description: "It may run WebAssembly, which needs V8's JIT." })),
  },
  { ...closed, description: "Limits. What goes beyond the defaults is granted by a person." },
);

/** Where a hook stands among others, in a manifest or grant. */
export const priority = Type.Integer({
  minimum: -1000,
  maximum: 1000,
  description: "Hooks of a higher priority run first. Default: 0.",
});
export const failure = Type.Enum(["open", "closed"], {
  description:
    'What a failure of the hook does to a call that it guards: "closed" blocks it, "open" lets it pass. Default: "closed". "open" takes effect only in a grant.',
});

export type Capabilities = Static<typeof CapabilitiesShape>;
export type Limits = Static<typeof Limits>;

/** What a hook asks a person for: powers, and limits beyond the usual ones. */
export const AsksShape = Type.Object({ ...CapabilitiesShape.properties, limits: Type.Optional(Limits) }, closed);
export type Asks = Capabilities & { limits?: Limits };

/** Compares and joins the powers of two hooks, or of one hook at two times. */
export const powersOf: Algebra<Capabilities> = record<Capabilities>(POWERS);

/** The powers with a grant of one power added. */
export function withMore(powers: Capabilities, capability: string, grant: unknown): Capabilities {
  const more = { [capability]: grant } as Capabilities;
  return { ...powers, ...powersOf.union({ [capability]: (powers as Record<string, unknown>)[capability] }, more) };
}

/**
 * Makes a check for a file or an option that a person writes. Its error names the file, the key in it, what is wrong, and
 * what is allowed.
 */
export function checker<T>(schema: TSchema, code: ErrorCode): (value: unknown, where: string) => T {
  const check = compile(schema);
  return (value, where) => {
    if (check.Check(value)) return value as T;
    throw new CordonError(code, `${where}: ${faultIn(schema, value, check.Errors(value))}`);
  };
}

/**
 * Makes a check for a whole file. The file may name its schema for editors, with the key `$schema`: that is ignored, and is no
 * part of the value.
 */
export function fileChecker<T>(schema: TSchema, code: ErrorCode): (value: unknown, where: string) => T {
  const check = checker<T>(schema, code);
  const hasVersion = Object.hasOwn((schema as { properties?: object }).properties ?? {}, "version");
  return (value, where) => {
    const own = withoutSchema(value);
    const { version: said } = Object(own) as { version?: unknown };
    if (hasVersion && Number.isInteger(said) && Number(said) > VERSION)
      throw new CordonError(
        code,
        `${where}: version ${said} is of a newer Cordon; this one reads version ${VERSION}: update it`,
      );
    return check(own, where);
  };
}

/** A file's value without its own key `$schema`. */
export function withoutSchema(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { $schema, ...rest } = value as { $schema?: unknown };
  return typeof $schema === "string" ? rest : value;
}

type Grants = { [Name in keyof typeof POWERS]: Static<(typeof POWERS)[Name]["schema"]> };
const byName: { readonly [Name in keyof Grants]: { fault?(grant: Grants[Name]): string | undefined } } = POWERS;

function faultOf<Name extends keyof Grants>(name: Name, powers: Partial<Grants>): string | undefined {
  const grant = powers[name];
  return grant === undefined ? undefined : byName[name].fault?.(grant);
}

/** What the schemas of powers cannot express, by power. */
export const powerFaults = (powers: Capabilities): { power: string; fault: string }[] =>
  (Object.keys(POWERS) as (keyof Grants)[]).flatMap((power) => {
    const fault = faultOf(power, powers);
    return fault === undefined ? [] : [{ power, fault }];
  });

/** Checks what the schemas of powers cannot express. */
export function refineCapabilities(powers: Capabilities, where: string, code: ErrorCode): void {
  for (const { fault } of powerFaults(powers)) throw new CordonError(code, `${where}: ${fault}`);
}
