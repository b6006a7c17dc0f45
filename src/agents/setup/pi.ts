import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { builtForHost } from "../../base/package-root.ts";
import { shellWord } from "../../base/shell-word.ts";
import { leavesOut, ownPackage, piExtensions } from "./pi-third-party.ts";
import type { Setup, UserPlaces } from "./setup.ts";

const extension = (places: UserPlaces): string => join(pi.folder(places), "extensions", "cordon.ts");

/** Loads the extension with a pi that takes all, and has it judge a call. */
const PROBE = `
  const { default: module } = await import(process.argv[1]);
  const handlers = {};
  const own = { on: (name, handler) => void (handlers[name] = handler) };
  await (module.default ?? module)(new Proxy(own, { get: (_own, name) => own[name] ?? (() => {}) }), true);
  const call = { type: "tool_call", toolName: "probe", toolCallId: "probe", input: {} };
  const said = await handlers.tool_call(call, { cwd: process.cwd(), hasUI: false });
  process.stdout.write(said?.reason?.startsWith("Blocked by Cordon") ? said.reason : "", () => process.exit(0));
`;

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
      file: extension(places),
      content: `export { default } from ${JSON.stringify(builtForHost("agents", "pi", "entry", "index.js"))};\n`,
      mode: 0o600,
    },
  ],
  ownPackage: (places) => {
    const source = ownPackage(pi.folder(places));
    return source === undefined ? undefined : `pi remove ${shellWord(source)}`;
  },
  loads: (places) => ["--input-type=module", "-e", PROBE, pathToFileURL(extension(places)).href],
  openIn: (_folders, places) => leavesOut(pi.folder(places), extension(places)),
  thirdParty: (places) => piExtensions(pi.folder(places)),
  left: ["if Cordon's package is taken away, pi starts without it and says so in one line; cordon doctor finds that"],
};
