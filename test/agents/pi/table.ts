import { COMMUNITY } from "./community.ts";
import { versionOf } from "./community-package.ts";
import { EXAMPLES, type Example } from "./examples.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

type Row = Pick<Example, "kind" | "not" | "unseen" | "differs">;

const rows = <T extends Row>(list: readonly T[], shown: (row: T) => string): string[] =>
  list.map((row) => {
    const { kind, not, unseen, differs = {} } = row;
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
    ...rows(EXAMPLES, ({ name }) => `\`${name}\``),
  ].join("\n");

export const communityTable = (): string =>
  [
    "| package | kind | its main job | what differs, and why |",
    "| --- | --- | --- | --- |",
    ...rows(COMMUNITY, (one) => `\`${one.name}\` ${versionOf(one)}`),
  ].join("\n");
