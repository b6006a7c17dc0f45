import Type, { type TSchema } from "typebox";
import type { Operation, Shape } from "../../sandbox/wire/operations.ts";

/** The schema of an operation's arguments, which are an attacker's. */
export function requestSchema({ args, more }: Operation): TSchema {
  const needed = args.map(schemaOf);
  const fewest = Type.Tuple(needed);
  return more ? Type.Union([fewest, Type.Tuple([...needed, ...more.map(schemaOf)])]) : fewest;
}

function schemaOf(shape: Shape): TSchema {
  switch (shape.kind) {
    case "text":
      return Type.String({ minLength: shape.least, maxLength: shape.most });
    case "number":
      return Type.Number(shape.least === undefined ? {} : { minimum: shape.least });
    case "integer":
      return Type.Integer({ minimum: shape.least, maximum: shape.most });
    case "flag":
      return Type.Boolean();
    case "choice":
      return Type.Enum([...shape.of]);
    case "list":
      return Type.Array(schemaOf(shape.of), { maxItems: shape.most });
    case "tuple":
      return Type.Tuple(shape.of.map(schemaOf));
    case "object": {
      const needed = Object.entries(shape.members).map(([name, one]) => [name, schemaOf(one)]);
      const optional = Object.entries(shape.optional).map(([name, one]) => [name, Type.Optional(schemaOf(one))]);
      return Type.Object(
        Object.fromEntries([...needed, ...optional]),
        shape.open ? {} : { additionalProperties: false },
      );
    }
    case "anything":
      return Type.Unknown();
  }
}
