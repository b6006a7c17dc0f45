import { CordonError } from "../base/errors.ts";
import type { Pretence } from "../powers/pretence.ts";
import { samplePretence } from "./sample-answers.ts";

/** What only looks, or speaks to this process alone. */
const LOOKS =
  /^(?:ui|bus|session|env|providers|tools)(?:\.|$)|^agent\.(?:read|state)$|^model\.find$|^fs\.(?:read|stat|lstat|look|changed|realpath|readdir|readlink)$/;

/**
 * Powers of hooks that judge once more what happened before: they look, and nothing is done. Programs and servers seem to succeed.
 * `acted`: hears of each power that a hook used and that was not used in fact.
 */
export function dryPowers(cwd: string, acted: (operation: string) => void): Pretence {
  const { answer } = samplePretence({ agrees: true, isFirst: false, reads: false }, cwd, () => {});
  return {
    powers: {},
    answer: () => undefined,
    instead(operation, args) {
      if (LOOKS.test(operation)) return undefined;
      acted(operation);
      const error = new CordonError(
        "NOT_GRANTED",
        `${operation}: a replay does nothing; run it with --act to use powers`,
      );
      // What came in at a server is not known.
      return (operation === "net.listen" ? undefined : answer(operation, args)) ?? { error };
    },
  };
}
