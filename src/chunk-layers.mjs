/**
 * Which modules lie in one file. Loading a file takes about as long as reading 20 KB of it, and what every command shares would
 * be in some sixty: one for each set of commands that need the same.
 */

/** What is loaded first comes first. Each layer is what its modules import, be it through others, when they are loaded. */
const LAYERS = {
  library: ["index"],
  command: ["cli/main"],
  hook: ["cli/hook"],
  daemon: ["cli/daemon"],
  audit: ["cli/audit"],
  person: [
    "cli/completion",
    "cli/disable",
    "cli/grant",
    "cli/init",
    "cli/install",
    "cli/policy",
    "cli/report",
    "cli/restart",
    "cli/why",
  ],
  host: ["host/host"],
};

/**
 * A module that the host needs is in the file of the first layer that has it. What only the start of each command needs is in one
 * more, and all else as the bundler has it. So no file imports one of a later layer, and none imports another in a circle.
 */
function filesOf(pathOf, infoOf) {
  const reached = new Map();
  for (const [layer, names] of Object.entries(LAYERS)) {
    const modules = new Set();
    const open = names.flatMap((name) => infoOf(pathOf(`${name}.ts`)).importedIds);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (modules.has(id)) continue;
      modules.add(id);
      open.push(...infoOf(id).importedIds);
    }
    reached.set(layer, modules);
  }
  const files = new Map();
  for (const [layer, modules] of reached)
    for (const id of modules)
      if (!files.has(id) && reached.get("host").has(id)) files.set(id, layer);
      else if (!files.has(id) && layer === "command") files.set(id, "command-alone");
  return files;
}

/** For Rolldown's `output.codeSplitting`. `pathOf` makes a path of one that is relative to this folder. */
export function chunkLayers(pathOf) {
  let files;
  return {
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: "layers",
        name(id, modules) {
          files ??= filesOf(pathOf, (one) => modules.getModuleInfo(one));
          return files.get(id);
        },
      },
    ],
  };
}
