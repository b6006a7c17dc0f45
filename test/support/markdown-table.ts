/** A table in Markdown, with its columns aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_name, at) => Math.max(3, ...all.map((row) => (row[at] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_name, at) => (cells[at] ?? "").padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
