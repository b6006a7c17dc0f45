import { forEachChild, type SyntaxNode } from "unbash";

type Call = { name: string; parallel: boolean };

/** The functions of a script and their calls, to find a function that starts endlessly many copies of itself. */
export class Functions {
  readonly #calls = new Map<string, Call[]>();

  /**
   * Adds a function. Returns true if it calls itself at least twice, directly or indirectly, without waiting for all
   * calls.
   */
  isBomb(name: string, body: SyntaxNode, spend: (amount: number) => void): boolean {
    const calls: Call[] = [];
    collect(body, false, calls);
    spend(calls.length);
    this.#calls.set(name, calls);
    const leadsBack = calls.filter((call) => this.#reaches(call.name, name, spend));
    return leadsBack.length > 1 && leadsBack.some((call) => call.parallel);
  }

  #reaches(from: string, to: string, spend: (amount: number) => void): boolean {
    const seen = new Set<string>();
    const open = [from];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === to) return true;
      if (seen.has(name)) continue;
      seen.add(name);
      for (const call of this.#calls.get(name) ?? []) open.push(call.name);
      spend(1);
    }
    return false;
  }
}

function collect(node: SyntaxNode, parallel: boolean, calls: Call[]): void {
  if (node.type === "Command" && node.name) calls.push({ name: node.name.value, parallel });
  const apart =
    parallel ||
    (node.type === "Pipeline" && node.commands.length > 1) ||
    (node.type === "Statement" && node.background === true) ||
    node.type === "Coproc";
  forEachChild(node, (child) => collect(child, apart, calls));
}

/** `$0|$0&`: a script that starts itself twice. */
export function startsItself(stages: readonly SyntaxNode[]): boolean {
  const selves = stages.filter((stage) => stage.type === "Command" && /[$%]\{?0\}?["']?$/.test(stage.name?.text ?? ""));
  return selves.length > 1;
}
