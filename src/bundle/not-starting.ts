/** A pattern for texts that do not start with this one. Go, which has no lookahead, reads it as esbuild's filter. */
export function notStarting(text: string): RegExp {
  const tail = [...text].reduceRight((rest, character) => {
    const quoted = /[\w\s]/.test(character) || character > "\x7f" ? character : `\\${character}`;
    return `(?:$|[^${quoted}]${rest === "" ? "" : `|${quoted}${rest}`})`;
  }, "");
  return new RegExp(`^${tail}`);
}
