import { join } from "node:path";
import { builtForHost } from "../../base/package-root.ts";
import { hasOwnPackage, piExtensions } from "./pi-third-party.ts";
import type { Setup } from "./setup.ts";

/** pi from 0.87 on: an extension, which runs the hooks in pi's own process and needs no daemon. */
export const pi: Setup = {
  name: "pi",
  title: "pi",
  program: "pi",
  since: {
    version: "0.87.0",
    lacks: "extensions as they are now, and hooks as in 0.27.9, which Cordon was tested with, too",
  },
  folder: ({ user, env }) => env.PI_CODING_AGENT_DIR ?? join(user, ".pi", "agent"),
  user: (places) => [
    {
      kind: "file",
      file: join(pi.folder(places), "extensions", "cordon.ts"),
      content: `export { default } from ${JSON.stringify(builtForHost("agents", "pi", "entry", "index.js"))};\n`,
      mode: 0o600,
    },
  ],
  already: (places) =>
    hasOwnPackage(pi.folder(places))
      ? "pi has Cordon by its package; take that out first, as in: pi remove npm:pi-cordon"
      : undefined,
  thirdParty: (places) => piExtensions(pi.folder(places)),
  left: ["if Cordon's package is taken away, pi starts without it and says so in one line; cordon doctor finds that"],
};
