import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** A page as a browser's parser reads it. */
export interface Parsed {
  elements: Element[];
  comments: string[];
  /** The text of an element, with all below it. */
  textOf(element: Element): string;
  /** Errors of the parser. */
  errors: string[];
}

export function parsed(page: string): Parsed {
  const errors: string[] = [];
  const document = parse(page, { onParseError: ({ code }) => errors.push(code) });
  const elements: Element[] = [];
  const comments: string[] = [];
  const visit = (node: Node): void => {
    if (defaultTreeAdapter.isCommentNode(node)) comments.push(node.data);
    if (!defaultTreeAdapter.isElementNode(node)) return;
    elements.push(node);
    for (const child of node.childNodes) visit(child);
  };
  for (const child of document.childNodes) visit(child);
  return { elements, comments, textOf, errors };
}

const textOf = (element: Element): string =>
  element.childNodes
    .map((node) => ("value" in node ? node.value : defaultTreeAdapter.isElementNode(node) ? textOf(node) : ""))
    .join("");

export const attribute = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((one) => one.name === name)?.value;

/** Elements and their attributes in order, without the texts: what values of others must not change. */
export const skeleton = ({ elements }: Parsed): string[] =>
  elements
    // A command is left out for a name that cannot be typed.
    .filter((one) => one.tagName !== "br" && one.tagName !== "code" && !isInCode(one))
    .map(({ tagName, attrs }) => [tagName, ...attrs.map(({ name, value }) => `${name}=${value}`)].join(" "));

const isInCode = ({ parentNode }: Element): boolean => parentNode !== null && parentNode.nodeName === "code";
