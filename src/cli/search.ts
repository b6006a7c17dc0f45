import { resolve } from "node:path";
import { messageOf } from "../errors.ts";
import { defaultHome } from "../home.ts";
import { searchRegistry } from "../market/hook-index.ts";
import { type Offered, offeredIn } from "../market/indexes.ts";
import { npmOptions } from "../market/npm-config.ts";
import { cleanLine } from "../text.ts";
import { note, printJson, Refused } from "./common.ts";
import { table } from "./terminal.ts";

interface Flags {
  index?: string[];
  json?: boolean;
}

/** `cordon search WORD`: the hooks in your indexes and in npm's registry that have the word. */
export async function search(word: string, flags: Flags): Promise<void> {
  const hits = (await gather(word, flags)).filter(({ name, description = "" }) =>
    `${name} ${description}`.toLowerCase().includes(word.toLowerCase()),
  );
  if (flags.json) printJson({ hooks: hits });
  else if (hits.length === 0) process.stdout.write(`nothing found for ${cleanLine(word, 100)}\n`);
  else {
    const rows = hits.map(({ name, from, description = "" }) => [
      name,
      cleanLine(from, 40),
      cleanLine(description, 300),
    ]);
    process.stdout.write(`${table([["hook", "from", "what it does"], ...rows], process.stdout.columns ?? 80)}\n`);
  }
}

/** `cordon info NAME`: what the indexes say of one hook, and how it is added. */
export async function info(name: string, flags: Flags): Promise<void> {
  const hits = (await gather(name, flags)).filter((hit) => hit.name === name);
  if (hits.length === 0) throw new Refused(`no index and no registry knows ${cleanLine(name, 200)}`);
  if (flags.json) {
    printJson({ hooks: hits });
    return;
  }
  for (const { from, spec, description, publisher, powers, integrity } of hits)
    process.stdout.write(
      `${table(
        [
          ["hook", name],
          ["from", cleanLine(from, 100)],
          ...(description ? [["what", cleanLine(description, 500)]] : []),
          ...(publisher ? [["publisher", cleanLine(publisher, 200)]] : []),
          ...(powers ? [["powers", cleanLine(powers.join(", "), 300) || "none"]] : []),
          ...(integrity ? [["integrity", integrity]] : []),
          ["add it", `cordon add ${cleanLine(spec, 500)}`],
        ],
        process.stdout.columns ?? 80,
      )}\n`,
    );
}

/** Everything that may be meant. A registry that does not answer is said and passed over. */
async function gather(word: string, flags: Flags): Promise<Offered[]> {
  const named = (flags.index ?? []).map((place) => (/^https?:/.test(place) ? place : resolve(place)));
  const hits = await offeredIn(defaultHome(), named, note);
  try {
    const found = await searchRegistry(word, await npmOptions(resolve("."), note));
    hits.push(...[...found].map(([name, entry]): Offered => ({ name, from: "npm", ...entry })));
  } catch (error) {
    note(`the registry does not answer: ${cleanLine(messageOf(error), 200)}`);
  }
  return hits;
}
