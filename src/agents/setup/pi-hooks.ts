import { join } from "node:path";
import { builtForHost } from "../../base/package-root.ts";
import { readIfThere } from "../../disk/atomic-file.ts";
import { ownEntry } from "../../host/discover.ts";
import { hasMember } from "./json-edits.ts";
import { pi } from "./pi.ts";
import { piHooksOf } from "./pi-third-party.ts";
import type { Setup, UserPlaces } from "./setup.ts";

const file = (places: UserPlaces): string => ownEntry(pi.folder(places));

/**
 * pi 0.27: a hook that its settings name. Not one in its folder of hooks: a later pi does not start while that is there. Without
 * Cordon's package, it blocks.
 */
export const piHooks: Setup = {
  name: "pi-0.27",
  title: "pi",
  program: "pi",
  since: { version: "0.27.0", lacks: "hooks as they were in 0.27" },
  until: { version: "0.28.0", use: "pi" },
  folder: pi.folder,
  user: (places) => [
    { kind: "file", file: file(places), content: ENTRY, mode: 0o600 },
    {
      kind: "entries",
      file: join(pi.folder(places), "settings.json"),
      entries: [{ path: ["hooks"], value: file(places) }],
    },
  ],
  openIn(folders) {
    const files = folders.map((folder) => join(folder, ".pi", "settings.json"));
    const found = files.find((path) => hasMember(readIfThere(path) ?? "", "hooks", path));
    return found === undefined ? undefined : `${found} has hooks of its own, so pi leaves Cordon out there`;
  },
  thirdParty: (places) => piHooksOf(pi.folder(places)),
  left: [
    "pi 0.27 takes its hooks from a project alone that has hooks in its .pi/settings.json: there Cordon judges nothing",
    "pi 0.27 goes on without a hook whose file is gone; cordon doctor finds that",
  ],
};

/** pi translates what it imports of this file, so Node loads Cordon. */
const ENTRY = `// Made by cordon install: runs Cordon's hooks in pi 0.27.
import { createRequire } from "node:module";

function loaded() {
  try {
    const { default: cordon } = createRequire(import.meta.url)(${JSON.stringify(builtForHost("agents", "pi", "hook-adapter.js"))});
    if (typeof cordon === "function") return cordon;
  } catch {}
  const reason = "Blocked by Cordon: it is not where it was installed, or not for this Node; run: cordon doctor";
  return (pi) => pi.on("tool_call", async () => ({ block: true, reason }));
}

export default loaded();
`;
