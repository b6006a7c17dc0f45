/** Which declarations the package has: those that its entries lead to. The others serve the build alone. */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const REFERENCE = /(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+)"/g;

/** Names the others in `dist/.npmignore`, which npm reads when it packs. */
export function leaveOutDeclarations(root) {
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
  writeFileSync(resolve(dist, ".npmignore"), others.map((path) => `/${path}\n`).join(""));
}
