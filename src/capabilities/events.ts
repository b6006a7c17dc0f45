import Type from "typebox";

const tools = Type.Array(Type.String({ minLength: 1, maxLength: 128 }));

/** What a hook hears and may decide. Not asked for by a call: the host checks each result against it. */
export const eventsGrant = Type.Object(
  {
    see: Type.Array(Type.String({ minLength: 1, maxLength: 64 })),
    block: Type.Optional(Type.Boolean()),
    cancel: Type.Optional(Type.Boolean()),
    compact: Type.Optional(Type.Boolean()),
    guardResult: Type.Optional(tools),
    rewriteInput: Type.Optional(tools),
    rewriteResult: Type.Optional(tools),
    rewriteMessage: Type.Optional(Type.Boolean()),
    rewriteParams: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
/** True if a list of names, in which `*` stands for all, has this one. */
export const covers = (names: readonly string[] | undefined, name: string): boolean =>
  names !== undefined && (names.includes("*") || names.includes(name));
