const { fromCharCode } = String;
const { apply } = Reflect;

const REPLACEMENT = 0xfffd;

/** The bytes of a short text as UTF-8. Half of a surrogate pair is replaced. */
export function shortBytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 3);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xe000) {
      code = text.codePointAt(at) as number;
      if (code > 0xffff) at++;
      else code = REPLACEMENT;
    }
    if (code < 0x80) {
      bytes[end++] = code;
      continue;
    }
    if (code < 0x800) bytes[end++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[end++] = 0xe0 | (code >> 12);
      else {
        bytes[end++] = 0xf0 | (code >> 18);
        bytes[end++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[end++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[end++] = 0x80 | (code & 0x3f);
  }
  return bytes.slice(0, end);
}

/** The least code that takes so many bytes after the first. */
const LEAST = [0, 0x80, 0x800, 0x10000] as const;

/** The text of a few bytes; undefined if they are not UTF-8. */
export function shortTextOf(bytes: Uint8Array): string | undefined {
  const units: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++] as number;
    if (first < 0x80) {
      units.push(first);
      continue;
    }
    if (first < 0xc0 || first > 0xf7) return undefined;
    const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    let code = first & (0x3f >> more);
    for (const end = at + more; at < end; at++) {
      const next = bytes[at] as number | undefined;
      if (next === undefined || (next & 0xc0) !== 0x80) return undefined;
      code = (code << 6) | (next & 0x3f);
    }
    if (code < (LEAST[more] as number) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
    if (code > 0xffff) units.push(0xd800 | ((code - 0x10000) >> 10), 0xdc00 | (code & 0x3ff));
    else units.push(code);
  }
  return apply(fromCharCode, undefined, units);
}
