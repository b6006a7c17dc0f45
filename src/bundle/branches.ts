import { randomBytes } from "node:crypto";
import type { AnyNode, Program, Statement } from "acorn";
import { parse } from "acorn";
import { MAX_BRANCHES } from "../../sandbox/wire/messages.ts";
import { type Insertion, inserted, lineStarts, mappingsOf } from "./inserted.ts";
import type { Branch } from "./protocol.ts";
import { fileOf } from "./source-positions.ts";

/** A bundle, and its source map as JSON text. */
interface Built {
  readonly code: string;
  readonly map: string;
}

/**
 * Puts a counter into each branch of a hook's own code, which reports when it runs for the first time. What the code does, and the
 * places in its source that stacks name, stay as they are. Code that cannot be parsed has no counters.
 *
 * @param isOwn whether a file is code of the hook's, and not Cordon's or of a package that the hook uses
 */
export function withBranches({ code, map }: Built, isOwn: (file: string) => boolean): Built & { branches: Branch[] } {
  const parsed = JSON.parse(map) as { mappings: string; sources: string[] };
  let program: Program;
  try {
    program = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  } catch {
    return { code, map, branches: [] };
  }
  const counter = `__cordonReached_${randomBytes(6).toString("hex")}`;
  const { branches, insertions } = new Counters(counter, placesOf(code, parsed, isOwn)).of(program);
  const start = `const ${counter} = ((report, seen) => (branch) => { if (seen[branch] === 0) { seen[branch] = 1; report(branch); } })(globalThis[Symbol.for("cordon.host")].reached, new Uint8Array(${branches.length}));`;
  return { ...inserted(code, parsed, [{ at: 0, text: start }, ...insertions]), branches };
}

/** The place in a hook's own source that an offset in its bundle came from. */
type PlaceOf = (offset: number) => Place | undefined;
type Place = Pick<Branch, "file" | "line" | "column">;

function placesOf(
  code: string,
  map: { mappings: string; sources: string[] },
  isOwn: (file: string) => boolean,
): PlaceOf {
  const sources = map.sources.map(fileOf).map((file) => (isOwn(file) ? file : undefined));
  const starts = lineStarts(code);
  const places = new Map<number, Place>();
  for (const [row, segments] of mappingsOf(map).entries())
    for (const [at, source, line, column] of segments) {
      const file = source === undefined ? undefined : sources[source];
      if (file === undefined || line === undefined || column === undefined) continue;
      places.set((starts[row] ?? 0) + at, { file, line: line + 1, column: column + 1 });
    }
  // Statements are mapped where the line begins, before they are indented.
  return (offset) =>
    places.get(offset) ??
    places.get(offset - (/[ \t]*$/.exec(code.slice(Math.max(0, offset - 200), offset))?.[0].length ?? 0));
}

/** What ends a function or a loop early, unless it is in a function of its own. */
const LEAVES = new Set(["ReturnStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"]);
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

class Counters {
  readonly branches: Branch[] = [];
  readonly insertions: Insertion[] = [];
  readonly #counter: string;
  readonly #placeOf: PlaceOf;

  constructor(counter: string, placeOf: PlaceOf) {
    this.#counter = counter;
    this.#placeOf = placeOf;
  }

  of(program: Program): this {
    this.#visit(program, undefined);
    return this;
  }

  /** `within`: the branch that a node is a part of. */
  #visit(node: AnyNode, within: number | undefined): void {
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        for (const parameter of node.params) this.#visit(parameter, within);
        if (node.body.type === "BlockStatement")
          this.#list(node.body.body, this.#inBlock("function", node.body, within, node.start));
        else this.#expression("function", node.body, within);
        return;
      case "BlockStatement":
      case "Program":
      case "StaticBlock":
        this.#list(node.body as Statement[], within);
        return;
      case "IfStatement":
        this.#visit(node.test, within);
        this.#statement("if", node.consequent, within);
        if (node.alternate?.type === "IfStatement") this.#visit(node.alternate, within);
        else if (node.alternate) this.#statement("else", node.alternate, within);
        return;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
        for (const part of childrenOf(node)) if (part !== node.body) this.#visit(part, within);
        this.#statement("loop", node.body, within);
        return;
      case "SwitchCase": {
        if (node.test) this.#visit(node.test, within);
        const [first] = node.consequent;
        // One that falls through to the next has nothing to run.
        const own = first && this.#add("case", [node.start, node.test?.start, first.start], within);
        if (first && own !== undefined) this.#before(first.start, own);
        this.#list(node.consequent, own ?? within);
        return;
      }
      case "CatchClause":
        this.#list(node.body.body, this.#inBlock("catch", node.body, within));
        return;
      case "ConditionalExpression":
        this.#visit(node.test, within);
        this.#expression("choice", node.consequent, within);
        this.#expression("choice", node.alternate, within);
        return;
      case "ExpressionStatement":
        if (node.expression.type === "LogicalExpression") {
          this.#visit(node.expression.left, within);
          this.#expression("choice", node.expression.right, within);
        } else this.#visit(node.expression, within);
        return;
      default:
        for (const child of childrenOf(node)) this.#visit(child, within);
    }
  }

  /** What follows a statement that may leave is a branch of its own. */
  #list(statements: readonly AnyNode[], within: number | undefined): void {
    let branch = within;
    for (const [at, statement] of statements.entries()) {
      const before = statements[at - 1];
      if (before && !LEAVES.has(before.type) && !FUNCTIONS.has(statement.type) && mayLeave(before)) {
        const rest = this.#add("rest", [statement.start], branch);
        if (rest !== undefined) this.#before(statement.start, rest);
        branch = rest ?? branch;
      }
      this.#visit(statement, branch);
    }
  }

  /** A statement that is a branch, in a block or alone. */
  #statement(kind: Branch["kind"], node: Statement, within: number | undefined): void {
    if (node.type === "BlockStatement") {
      this.#list(node.body, this.#inBlock(kind, node, within));
      return;
    }
    const own = this.#add(kind, [node.start], within);
    if (own !== undefined) this.insertions.push({ at: node.start, text: `{${this.#count(own)}; ` });
    this.#visit(node, own ?? within);
    if (own !== undefined) this.insertions.push({ at: node.end, text: "}" });
  }

  #expression(kind: Branch["kind"], node: AnyNode, within: number | undefined): void {
    const own = this.#add(kind, [node.start], within);
    if (own !== undefined) this.insertions.push({ at: node.start, text: `(${this.#count(own)}, ` });
    this.#visit(node, own ?? within);
    if (own !== undefined) this.insertions.push({ at: node.end, text: ")" });
  }

  /** Adds a counter at the start of a block, after its directives. */
  #inBlock(
    kind: Branch["kind"],
    block: { start: number; body: readonly AnyNode[] },
    within: number | undefined,
    start?: number,
  ): number | undefined {
    const first = block.body.find((one) => !("directive" in one && one.directive));
    const own = this.#add(kind, [start, first?.start, block.start], within);
    if (own === undefined) return within;
    const [last] = block.body.filter((one) => "directive" in one && one.directive).slice(-1);
    this.#before(last ? last.end : block.start + 1, own);
    return own;
  }

  /** Adds a branch, if one of these offsets is a place in the hook's own source. */
  #add(kind: Branch["kind"], offsets: (number | undefined)[], within: number | undefined): number | undefined {
    const place = offsets.map((offset) => (offset === undefined ? undefined : this.#placeOf(offset))).find(Boolean);
    if (!place || this.branches.length >= MAX_BRANCHES) return undefined;
    this.branches.push({ ...place, kind, ...(within === undefined ? {} : { within }) });
    return this.branches.length - 1;
  }

  #before(at: number, branch: number): void {
    this.insertions.push({ at, text: ` ${this.#count(branch)}; ` });
  }

  #count(branch: number): string {
    return `${this.#counter}(${branch})`;
  }
}

function mayLeave(node: AnyNode): boolean {
  if (FUNCTIONS.has(node.type)) return false;
  return LEAVES.has(node.type) || childrenOf(node).some(mayLeave);
}

/** The nodes of a syntax tree right below one. */
function childrenOf(node: AnyNode): AnyNode[] {
  const isNode = (value: unknown): value is AnyNode =>
    typeof value === "object" && value !== null && "type" in value && "start" in value;
  return Object.values(node).flatMap((value: unknown) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}
