/**
 * JSON as one line to every reader, with each value as it is written: some readers end a line at a carriage return, and some at a
 * line separator in a string. JSON has none of the other line ends as they are.
 */
export const oneLine = (json: string): string =>
  json
    .replaceAll("\r", " ")
    .replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
