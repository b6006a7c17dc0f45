import type { Token, Tokens } from "marked";
import { expect, test } from "vitest";
import { pageAt, pages, plainText } from "./pages.ts";

/** A sentence has fewer words than this. */
const WORDS = 30;

/** The texts of a page that people read: paragraphs, items of lists, and cells of tables. A piece of code is one word. */
function texts(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === "paragraph" || token.type === "text" || token.type === "heading")
      return [plainText(oneWord((token as Tokens.Paragraph).tokens ?? []))];
    if (token.type === "list") return (token as Tokens.List).items.flatMap((item) => texts(item.tokens));
    if (token.type === "blockquote") return texts((token as Tokens.Blockquote).tokens);
    if (token.type !== "table") return [];
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map((cell) => plainText(oneWord(cell.tokens))));
  });
}

/** The same with each piece of code as one word. */
const oneWord = (tokens: readonly Token[]): Token[] =>
  tokens.map((token) => {
    if (token.type === "codespan") return { ...token, text: "code" } as Tokens.Codespan;
    return "tokens" in token && token.tokens ? ({ ...token, tokens: oneWord(token.tokens) } as Token) : token;
  });

const sentences = (text: string): string[] => text.split(/(?<=[.!?][)"”]?)\s+(?=[A-Z"“(`$]|code\b)/u);
const wordsOf = (sentence: string): string[] => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

const tooLong = (tokens: readonly Token[]): string[] =>
  texts(tokens)
    .flatMap(sentences)
    .filter((sentence) => wordsOf(sentence).length >= WORDS);

test.each([...pages(), ...["CONTRIBUTING.md", "SECURITY.md"].map(pageAt)])(
  "the sentences of $path are short",
  ({ tokens }) => {
    expect(tooLong(tokens)).toEqual([]);
  },
);

test("a long sentence is found out, wherever it stands", () => {
  const [page] = pages();
  const long = `${"word ".repeat(WORDS - 1)}end.`;
  const text = { type: "text", raw: long, text: long } as Token;
  const short = { type: "text", raw: "Short.", text: `Short. Then ${"word ".repeat(WORDS - 3)}end.` } as Token;
  const paragraph = (inside: Token) => ({ type: "paragraph", raw: "", text: "", tokens: [inside] }) as Token;
  expect(page?.path).toBe("README.md");
  expect(tooLong([paragraph(text)])).toHaveLength(1);
  expect(tooLong([paragraph(short)])).toHaveLength(0);
  expect(tooLong([{ type: "list", items: [{ tokens: [paragraph(text)] }] } as unknown as Token])).toHaveLength(1);
  expect(tooLong([{ type: "table", header: [{ tokens: [text] }], rows: [] } as unknown as Token])).toHaveLength(1);
});
