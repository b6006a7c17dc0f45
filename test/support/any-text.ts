import fc from "fast-check";

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

/**
 * Text of any characters. fast-check's own `unit: "binary"` keeps a list of all of them, 80 MB, as long as the process lives: each
 * child that it starts copies the tables of that memory.
 */
export const anyText = (limits: { maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({
    unit: fc
      .nat({ max: 0x10ffff })
      .filter((code) => !isSurrogate(code))
      .map((code) => String.fromCodePoint(code)),
    ...limits,
  });
