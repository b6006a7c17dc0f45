/** Each UTF-16 unit of a text as an escape of JSON's. */
export function escaped(text: string): string {
  let escapes = "";
  for (let at = 0; at < text.length; at++) escapes += `\\u${(0x10000 + text.charCodeAt(at)).toString(16).slice(1)}`;
  return escapes;
}
