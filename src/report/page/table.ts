import { html, type Markup, type Part } from "./html.ts";

/** A table. The roles stay where a style shows its rows as blocks on a narrow screen. */
export interface Table {
  caption: Part;
  kind: "matrix" | "matrix many" | "timeline" | "uses" | "periods" | "powers";
  columns: readonly Part[];
  rows: readonly Row[];
}

export interface Row {
  /** The cells after the head of the row. */
  cells: readonly Markup[];
  head: Markup;
  /** For the filter. */
  deed?: string;
  /** Numbers of hooks, between spaces. */
  hooks?: string;
}

export const table = ({ caption, kind, columns, rows }: Table): Markup => html`<table role="table" class="${kind}">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((one) => html`<th role="columnheader" scope="col">${one}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(row)}</tbody>
</table>`;

const row = ({ head, cells, deed, hooks }: Row): Markup =>
  html`<tr role="row"${deed === undefined ? undefined : html` data-deed="${deed}"`}${hooks === undefined ? undefined : html` data-hooks="${hooks}"`}>${head}${cells}</tr>
`;

/** The head of a row. */
export const head = (...parts: readonly Part[]): Markup => html`<th role="rowheader" scope="row">${parts}</th>`;

/** A cell. `kind`: how it looks. */
export const cell = (kind: string, ...parts: readonly Part[]): Markup =>
  html`<td role="cell" class="${kind}">${parts}</td>`;
