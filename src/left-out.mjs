/** What of the build the package has: no declarations but those that its entries lead to, and no parts of what was bundled. */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const REFERENCE = /(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+)"/g;

/** Parts of `cordon/interceptors`, which is one file. */
const BUNDLED = ["/hooks/**/*.js", "/sandbox/guest/interceptors/*.js", "!/sandbox/guest/interceptors/index.js"];

/** Names what is left out in `dist/.npmignore`, which npm reads when it packs. */
export function leaveOutOfPackage(root) {
  const { exports } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
  const reached = new Set();
  const reach = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, reference] of readFileSync(path, "utf8").matchAll(REFERENCE)) {
      const declared = resolve(dirname(path), reference.replace(/\.[jt]s$/, ".d.ts"));
      if (existsSync(declared)) reach(declared);
    }
  };
  for (const { types } of Object.values(exports)) if (types) reach(resolve(root, types));
  const dist = resolve(root, "dist");
  const others = globSync("**/*.d.ts", { cwd: dist }).filter((path) => !reached.has(resolve(dist, path)));
  const lines = [...BUNDLED, ...others.map((path) => `/${path}`)];
  writeFileSync(resolve(dist, ".npmignore"), `${lines.join("\n")}\n`);
}
