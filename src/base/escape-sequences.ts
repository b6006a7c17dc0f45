const ESC = 0x1b;
const CSI = 0x9b;
const BELL = 0x07;
const STRING_END = 0x9c;
/** ESC, and the single characters that mean ESC and a second character. */
const INTRODUCERS = new Set([ESC, 0x90, 0x98, CSI, 0x9d, 0x9e, 0x9f]);

/**
 * Removes the escape sequences of ECMA-48, which a terminal obeys. Of an unfinished sequence, the part that a terminal shows
 * as text stays. Takes time linear in the length of the text on every Node: `stripVTControlCharacters` of Node 22 takes half
 * a second for 16,000 characters of an unfinished sequence.
 */
export function withoutEscapeSequences(text: string): string {
  let kept = "";
  let from = 0;
  const control = /\p{Cc}/gu;
  for (let found = control.exec(text); found; found = control.exec(text)) {
    if (!INTRODUCERS.has(text.charCodeAt(found.index))) continue;
    kept += text.slice(from, found.index);
    from = endOfSequence(text, found.index);
    control.lastIndex = from;
  }
  return from === 0 ? text : kept + text.slice(from);
}

function endOfSequence(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === CSI) return endOfControl(text, at + 1);
  if (first !== ESC) return endOfString(text, at + 1);
  const second = text.charCodeAt(at + 1);
  if (second === 0x5b) return endOfControl(text, at + 2);
  if (isStringStart(second)) return endOfString(text, at + 2);
  const last = skip(text, at + 1, isIntermediate);
  return isBetween(text.charCodeAt(last), 0x30, 0x7e) ? last + 1 : at + 1;
}

/** After `ESC [`: parameters, and one character for the command. */
function endOfControl(text: string, body: number): number {
  const last = skip(text, body, isParameter);
  return isBetween(text.charCodeAt(last), 0x40, 0x7e) ? last + 1 : last;
}

/** After `ESC ]` and the like: text that a terminal does not show, up to a terminator. */
function endOfString(text: string, body: number): number {
  const last = skip(text, body, isShown);
  const end = text.charCodeAt(last);
  if (end === BELL || end === STRING_END) return last + 1;
  return end === ESC && text.charCodeAt(last + 1) === 0x5c ? last + 2 : body;
}

function skip(text: string, from: number, belongs: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && belongs(text.charCodeAt(at))) at++;
  return at;
}

/** False for `NaN`, past the end of a text. */
const isBetween = (code: number, first: number, last: number): boolean => code >= first && code <= last;
const isIntermediate = (code: number): boolean => isBetween(code, 0x20, 0x2f);
const isParameter = (code: number): boolean => isBetween(code, 0x20, 0x3f);
const isShown = (code: number): boolean => code >= 0x20 && !isBetween(code, 0x7f, 0x9f);
/** `]`, `P`, `X`, `^` and `_`. */
const isStringStart = (code: number): boolean =>
  code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f;
