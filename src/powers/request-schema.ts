import type { TSchema } from "typebox";
import type { Operation } from "../../sandbox/wire/operations.ts";
import type { Shape } from "../../sandbox/wire/shapes.ts";
import Type from "../base/type.ts";

/** The schema of an operation's arguments, which are an attacker's. */
export function requestSchema({ args, more }: Operation): TSchema {
  const needed = args.map(schemaOf);
  const fewest = Type.Tuple(needed);
  return more ? Type.Union([fewest, Type.Tuple([...needed, ...more.map(schemaOf)])]) : fewest;
}

type Kind = Shape["kind"];

const SCHEMAS: { readonly [Of in Kind]: (shape: Extract<Shape, { kind: Of }>) => TSchema } = {
  text: ({ least, most }) => Type.String({ minLength: least, maxLength: most }),
  number: ({ least }) => Type.Number(least === undefined ? {} : { minimum: least }),
  integer: ({ least, most }) => Type.Integer({ minimum: least, maximum: most }),
  flag: () => Type.Boolean(),
  choice: ({ of }) => Type.Enum([...of]),
  list: ({ of, most }) => Type.Array(schemaOf(of), { maxItems: most }),
  tuple: ({ of }) => Type.Tuple(of.map(schemaOf)),
  object({ members, optional, open }) {
    const needed = Object.entries(members).map(([name, one]) => [name, schemaOf(one)]);
    const others = Object.entries(optional).map(([name, one]) => [name, Type.Optional(schemaOf(one))]);
    return Type.Object(Object.fromEntries([...needed, ...others]), open ? {} : { additionalProperties: false });
  },
  anything: () => Type.Unknown(),
};

function schemaOf(shape: Shape): TSchema {
  return (SCHEMAS[shape.kind] as (shape: Shape) => TSchema)(shape);
}
