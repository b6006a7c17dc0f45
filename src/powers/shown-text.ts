const SPACE = /\s+/g;
const CODES = new RegExp(`${"\u001b"}\\[([\\d;]*)m`);
/** Attributes that leave a text readable on any terminal: bold, italics, underlined, and swapped colours for the cursor. */
const HARMLESS = new Set(["1", "3", "4", "7", "21", "22", "23", "24", "27"]);
/** Stands for text that might be drawn in the colour of its background. */
const UNREADABLE = "\u0000";
/** How pi's editor shows a long text that was pasted. */
const PASTED = /\[paste#\d+/g;
/** Shorter pastes are shown as they are. */
const MIN_PASTE = 20;

/** What a terminal shows of these drawn lines for certain: letters in its own colours, without spaces. */
function readable(lines: readonly string[]): string {
  let shown = "";
  for (const line of lines) {
    // Colours end with their line.
    let plain = true;
    for (const [at, part] of line.split(CODES).entries()) {
      if (at % 2 === 0) shown += plain ? part.replace(SPACE, "") : UNREADABLE;
      else plain = part.split(";").every((code) => Number(code) === 0 || (plain && HARMLESS.has(String(Number(code)))));
    }
  }
  return shown;
}

/**
 * Whether a person who looked at these lines of an editor has read this text: all its letters stand there in their order,
 * in the terminal's own colours, spaces aside. Texts that the person pasted may stand there as pi's marks of them.
 */
export function isShown(text: string, lines: readonly string[], pasted: readonly string[]): boolean {
  const shown = readable(lines);
  const marks = shown.match(PASTED)?.length ?? 0;
  let rest = text.replace(SPACE, "");
  let replaced = 0;
  for (const paste of pasted) {
    const long = paste.replace(SPACE, "");
    if (long.length < MIN_PASTE || !rest.includes(long)) continue;
    rest = rest.replace(long, () => UNREADABLE);
    replaced++;
  }
  if (replaced > marks) return isShown(text, lines, []);
  let from = 0;
  return rest.split(UNREADABLE).every((piece) => {
    const at = shown.indexOf(piece, from);
    from = at + piece.length;
    return at >= 0;
  });
}
