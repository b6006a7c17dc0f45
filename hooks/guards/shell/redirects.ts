import type { Redirection } from "unbash";
import { FOREIGN, UNKNOWN } from "./marks.ts";
import { isNetwork, resolvePath } from "./paths.ts";
import type { ShellState } from "./state.ts";
import { expandBody, expandText, expandWord } from "./words.ts";

/** The result of redirections: the input, the files that are written to, and the file that gets the output. */
export type Redirected = {
  stdin: string | undefined;
  /** Paths from `resolvePath`. */
  writes: string[];
  connected: boolean;
  output: { path: string; append: boolean } | undefined;
};

/** Follows `redirects`. The shell's `files` have the content that earlier commands wrote, and connections. */
export function followRedirects(
  redirects: readonly Redirection[],
  stdin: string | undefined,
  shell: ShellState,
): Redirected {
  const followed: Redirected = { stdin, writes: [], connected: false, output: undefined };
  for (const it of redirects) {
    if (it.type === "HereDoc") followed.stdin = expandBody(it.body.text, it.body.parts, shell);
    else if (it.type === "HereString") followed.stdin = it.target ? `${expandText(it.target, shell)}\n` : "";
    else if (it.target) {
      const word = expandWord(it.target, shell)[0] ?? "";
      const path = resolvePath(word, shell.folder);
      const network = isNetwork(path);
      followed.connected ||= network;
      if (it.operator === "<&") followed.stdin = shell.files.get(`&${word}`) ?? followed.stdin;
      else if (it.operator === "<") followed.stdin = network ? FOREIGN : (shell.files.get(path) ?? UNKNOWN);
      // `2>&1` names no file.
      else if (it.operator !== ">&" || !/^[\d-]+$/.test(word)) {
        followed.writes.push(path);
        if (it.operator === "<>") keepConnection(it.descriptor, network, shell.files);
        else if ((it.descriptor?.type !== "FileDescriptor" || it.descriptor.value === 1) && !network)
          followed.output = { path, append: it.operator.endsWith(">>") };
      }
    }
  }
  return followed;
}

/** Keeps a connection under its number, so that `<&5` can read from it. */
function keepConnection(descriptor: Redirection["descriptor"], network: boolean, files: Map<string, string>): void {
  if (!network || !descriptor) return;
  if (descriptor.type === "FileDescriptor") files.set(`&${descriptor.value}`, FOREIGN);
  // The number of `{fd}<>` is not known: a word that names it expands to `UNKNOWN`.
  else files.set(`&${UNKNOWN}`, FOREIGN);
}
