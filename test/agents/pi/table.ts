import { COMMUNITY } from "./community.ts";
import { EXAMPLES, type Example } from "./examples.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

const rows = (list: readonly Example[], shown: (row: number) => string): string[] =>
  list.map(({ kind, not, unseen, differs = {} }, row) => {
    const [why = ""] = Object.values(differs);
    const parts = Object.keys(differs).join(", ");
    const said = [
      ...(parts ? [`${parts}: ${why}`] : []),
      ...(not && not !== why ? [not] : []),
      ...(unseen ? [`not seen: ${unseen}`] : []),
    ].join("; ");
    return `| ${shown(row)} | ${kind} | ${not ? "no" : "yes"} | ${cell(said)} |`;
  });

/** The tables of the README beside this file, in Markdown. */
export const exampleTable = (): string =>
  [
    "| example | kind | its main job | what differs, and why |",
    "| --- | --- | --- | --- |",
    ...rows(EXAMPLES, (row) => `\`${EXAMPLES[row]?.name}\``),
  ].join("\n");

export const communityTable = (): string =>
  [
    "| package | kind | its main job | what differs, and why |",
    "| --- | --- | --- | --- |",
    ...rows(COMMUNITY, (row) => `\`${COMMUNITY[row]?.name}\` ${COMMUNITY[row]?.version}`),
  ].join("\n");
