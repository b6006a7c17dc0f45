import { resolve } from "node:path";
import { messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { defaultHome } from "../disk/home.ts";
import { REGISTRY, searchRegistry } from "../market/hook-index.ts";
import { type Offered, offeredIn } from "../market/indexes.ts";
import { note, Refused } from "./common.ts";
import { addressOf } from "./index-known.ts";
import { print, printJson } from "./print.ts";
import { printTable } from "./table.ts";

interface Flags {
  index?: string[];
  json?: boolean;
}

/** `cordon search WORD`: finds hooks in your indexes and in npm's registry that contain the word. */
export async function search(word: string, flags: Flags): Promise<void> {
  const hits = (await gather(word, flags)).filter(({ name, description = "" }) =>
    `${name} ${description}`.toLowerCase().includes(word.toLowerCase()),
  );
  if (flags.json) printJson({ hooks: hits });
  else if (hits.length === 0) print`nothing found for ${word}`;
  else {
    const rows = hits.map(({ name, from, description = "" }) => [name, cut(from, 40), cut(description, 300)]);
    printTable([["hook", "from", "what it does"], ...rows], process.stdout);
  }
}

/** `cordon info NAME`: prints what the indexes say about one hook, and how to add it. */
export async function info(name: string, flags: Flags): Promise<void> {
  const hits = (await gather(name, flags)).filter((hit) => hit.name === name);
  if (hits.length === 0) throw new Refused(`no index and no registry knows ${name}`);
  if (flags.json) {
    printJson({ hooks: hits });
    return;
  }
  for (const { from, spec, description, publisher, powers, integrity } of hits)
    printTable(
      [
        ["hook", name],
        ["from", from],
        ...(description ? [["what", cut(description, 500)]] : []),
        ...(publisher ? [["publisher", publisher]] : []),
        ...(powers ? [["powers", powers.join(", ") || "none"]] : []),
        ...(integrity ? [["integrity", integrity]] : []),
        ["add it", command`cordon add ${spec}`],
      ],
      process.stdout,
    );
}

/** Collects all offers. A registry that does not answer is reported and skipped. */
async function gather(word: string, flags: Flags): Promise<Offered[]> {
  const named = (flags.index ?? []).map(addressOf);
  const hits = await offeredIn(defaultHome(), named, note);
  try {
    const { npmOptions } = await import("../market/npm-config.ts");
    const found = await searchRegistry(word, await npmOptions(resolve("."), note));
    hits.push(...[...found].map(([name, entry]): Offered => ({ name, from: REGISTRY, ...entry })));
  } catch (error) {
    const { overrun } = await import("../market/document-size.ts");
    note(`the registry was not searched: ${messageOf(overrun.reason ?? error)}`);
  }
  return hits;
}

/** Cuts a long text that others wrote. */
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
