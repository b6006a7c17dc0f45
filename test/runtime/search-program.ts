/**
 * Locates a runtime, as a program of its own that any Node can run: `node search.mjs FOLDER CWD`, where FOLDER contains
 * a package. Prints one JSON line. `electron`: the agent's own program is not a Node, so that only PATH is left.
 */
export const SEARCH_PROGRAM = `
import { join } from "node:path";
import { pathToFileURL } from "node:url";
const [folder, cwd, kind] = process.argv.slice(2);
if (kind === "electron") Object.defineProperty(process.versions, "electron", { value: "40.0.0" });
const { locateRuntime } = await import(pathToFileURL(join(folder, "dist", "src", "locate.js")).href);
try {
  console.log(JSON.stringify(await locateRuntime({ home: join(folder, "home"), workspaces: [cwd] })));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
}
`;
