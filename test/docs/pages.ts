import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import GithubSlugger from "github-slugger";
import { lexer, type Token, type Tokens, walkTokens } from "marked";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";

/** A fenced block of a page. Its info string is a language, and words such as `file=gate.ts` that say what the tests do with it. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly words: ReadonlyMap<string, string>;
  readonly code: string;
}

export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly blocks: readonly Block[];
  /** What a link to a part of it can name. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly string[];
}

const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), "utf8");

export function pageAt(path: string): Page {
  const text = read(path);
  const tokens = lexer(text);
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  const links: string[] = [];
  const blocks: Block[] = [];
  walkTokens(tokens, (token) => {
    if (token.type === "heading") anchors.add(slugger.slug(plainText(token.tokens ?? [])));
    if (token.type === "link" || token.type === "image") links.push((token as Tokens.Link).href);
    if (token.type === "code") blocks.push(blockOf(token as Tokens.Code, path, text));
    if (token.type === "html")
      for (const [, href = ""] of token.raw.matchAll(/(?:src|href)="([^"]*)"/g)) links.push(href);
  });
  return { path, text, tokens, blocks, anchors, links };
}

function blockOf({ raw, lang = "", text: code }: Tokens.Code, page: string, whole: string): Block {
  const [language = "", ...words] = lang.split(" ");
  const line = whole.slice(0, whole.indexOf(raw.trimEnd())).split("\n").length;
  const pairs = words.map((word) => word.split("=", 2)).map(([name = "", value = ""]) => [name, value] as const);
  return { page, line, language, words: new Map(pairs), code };
}

/** What is written in tokens, without marks. A piece of code counts as one word. */
export const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === "codespan") return (token as Tokens.Codespan).text;
      if ("tokens" in token && token.tokens) return plainText(token.tokens);
      return token.type === "text" || token.type === "escape" ? (token as Tokens.Text).text : "";
    })
    .join("");

/** README and what `docs/` has. */
export const pages = (): Page[] =>
  [
    "README.md",
    ...readdirSync(join(PACKAGE_ROOT, "docs"))
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => join("docs", name)),
  ].map(pageAt);

/** Why a block is not run, if it says so: it needs the `network`, or a real `agent`. */
export const NOT_RUN = ["network", "agent"] as const;
export const notRun = ({ words }: Block): string | undefined => words.get("not-run");
