import type { Redirection } from "unbash";
import { FOREIGN, UNKNOWN } from "./marks.ts";
import { isNetwork, resolvePath } from "./paths.ts";
import { expandBody, expandText, expandWord, type Surroundings } from "./words.ts";

/** Where redirections lead: what can be read, the files written to, and which of them takes the output. */
export type Redirected = {
  stdin: string | undefined;
  /** As `resolvePath` gives them. */
  writes: string[];
  connected: boolean;
  output: { path: string; append: boolean } | undefined;
};

/** Follows `redirects`; `files` holds what earlier commands have written, by path, and connections by `&` and number. */
export function followRedirects(
  redirects: readonly Redirection[],
  stdin: string | undefined,
  around: Surroundings & { files: Map<string, string>; folder: string },
): Redirected {
  const followed: Redirected = { stdin, writes: [], connected: false, output: undefined };
  for (const it of redirects) {
    if (it.type === "HereDoc") followed.stdin = expandBody(it.body.text, it.body.parts, around);
    else if (it.type === "HereString") followed.stdin = it.target ? `${expandText(it.target, around)}\n` : "";
    else if (it.target) {
      const word = expandWord(it.target, around)[0] ?? "";
      const path = resolvePath(word, around.folder);
      const network = isNetwork(path);
      followed.connected ||= network;
      if (it.operator === "<&") followed.stdin = around.files.get(`&${word}`) ?? followed.stdin;
      else if (it.operator === "<") followed.stdin = network ? FOREIGN : (around.files.get(path) ?? UNKNOWN);
      // `2>&1` names no file.
      else if (it.operator !== ">&" || !/^[\d-]+$/.test(word)) {
        followed.writes.push(path);
        if (it.operator === "<>") keepConnection(it.descriptor, network, around.files);
        else if ((it.descriptor?.type !== "FileDescriptor" || it.descriptor.value === 1) && !network)
          followed.output = { path, append: it.operator.endsWith(">>") };
      }
    }
  }
  return followed;
}

/** A connection that stays open under a number, for `<&5` to read from. */
function keepConnection(descriptor: Redirection["descriptor"], network: boolean, files: Map<string, string>): void {
  if (!network || !descriptor) return;
  if (descriptor.type === "FileDescriptor") files.set(`&${descriptor.value}`, FOREIGN);
  // The number of `{fd}<>` is not known; the word that names it is.
  else files.set(`&${UNKNOWN}`, FOREIGN);
}
