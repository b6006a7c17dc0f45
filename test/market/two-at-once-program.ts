/** Changes the installed hooks repeatedly, each time by an entry and a grant of its own: `HOME NAME TIMES`. */
import { commit } from "../../src/store/journal.ts";

const [, , home = "", name = "", times = "0"] = process.argv;
const digest = `sha256-${"0".repeat(64)}`;
const common = { version: "1.0.0", source: "path:/x", integrity: "sha512-AAAA", digest, requested: {} };

for (let at = 0; at < Number(times); at++) {
  const id = `${name}-${at}`;
  commit(home, (installed, grants) => {
    installed.set(id, { ...common, provenance: "none", package: id, file: "index.ts" });
    grants.set(id, { digest });
  });
}
