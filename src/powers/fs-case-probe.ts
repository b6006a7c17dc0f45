import { dirname, resolve, sep } from "node:path";

/**
 * The path of something in the hook's own folder with each letter in the other case, as TypeScript asks for its own file to learn
 * whether that matters. The answer is always the same, so it tells nothing of what is there.
 */
export function isCaseProbe(asked: string, root: string | undefined): boolean {
  const swapped = [...asked].map((letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
  return root !== undefined && dirname(root) !== root && resolve(swapped.join("")).startsWith(`${root}${sep}`);
}
