import { EXAMPLES } from "./examples.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The table of the README beside this file, in Markdown. */
export const exampleTable = (): string =>
  [
    "| example | kind | its main job | what differs, and why |",
    "| --- | --- | --- | --- |",
    ...EXAMPLES.map(({ name, kind, not, unseen, differs = {} }) => {
      const [why = ""] = Object.values(differs);
      const parts = Object.keys(differs).join(", ");
      const said = [
        ...(parts ? [`${parts}: ${why}`] : []),
        ...(not && not !== why ? [not] : []),
        ...(unseen ? [`not seen: ${unseen}`] : []),
      ].join("; ");
      return `| \`${name}\` | ${kind} | ${not ? "no" : "yes"} | ${cell(said)} |`;
    }),
  ].join("\n");
