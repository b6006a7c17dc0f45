import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import type { FoundManifest } from "../grants/manifest.ts";
import { type Place, placesOfJson, withoutTypes } from "./check-places.ts";
import type { Checked, Warning } from "./check-rules.ts";
import { wideIn } from "./check-wide.ts";
import { meantBy } from "./unknown-events.ts";

/** A module that a source names, if it is no file beside it. */
const NAMED = /\b(?:from|import|require)\s{0,9}\(?\s{0,9}["'`]([^"'`.\\/][^"'`]{0,299})["'`]/g;

/** Whether its own code imports packages. What Cordon provides is none, whatever it was made of. */
const hasPackages = (sources: ReadonlyMap<string, string>, provided: readonly string[]): boolean =>
  [...sources.values()].some((source) =>
    [...withoutTypes(source).matchAll(NAMED)].some(
      ([, name = ""]) => !isBuiltin(name) && !provided.includes(name) && !/^cordon(\/|$)/.test(name),
    ),
  );

/** Parts of `ui` whose functions have the same name. */
const isNamedAsCalled = (part: string): boolean => ["notify", "select", "confirm", "input"].includes(part);

/** Ways to a dialog that do not name it: by an expression, and what other dialects have for it. */
const OTHER_DIALOGS = /\bui\s{0,9}(\?\.)?\s{0,9}\[|\b(requireApproval|interrupt)\b/;

/** Modules by whose import a bundle uses a power, also in a dependency. */
const MODULES: readonly [modules: RegExp, power: string][] = [
  [/^(node:)?child_process$/, "exec"],
  [/^(node:)?fs(\/promises)?$/, "fs"],
  [/^node:sqlite$/, "sqlite"],
  [/^(node:)?(https?|net|dns)(\/promises)?$/, "net"],
];

/** What its manifest asks for and its code does not use, and what it does not say. */
export function inManifest(
  { manifest, asks, events, unknown, uses, imports }: Checked,
  sources: Map<string, string>,
): Warning[] {
  if (manifest.file === undefined || manifest.manifest === undefined) return [];
  const { capabilities = {}, optional = {}, why = {} } = manifest.manifest;
  const at = placesIn(manifest);
  const fromModules = MODULES.flatMap(([modules, power]) =>
    imports.some((name) => modules.test(name)) ? [power] : [],
  );
  const used = new Set([...uses, ...fromModules].map((power) => power.split(".")[0]));
  // Signs are looked for in the hook's own code: a dependency may call what it is handed.
  const hasDependencies = hasPackages(sources, imports);
  const text = [...sources.values()].join("\n");
  const isNamed = (word: string): boolean => hasDependencies || new RegExp(`\\b${word}\\b`).test(text);
  const unused = (path: (string | number)[], what: string): Warning => ({
    ...at(path),
    rule: "unused-power",
    level: "warning",
    message: `${what} is asked for, and not used, as it seems`,
    remedy: "take it out of the manifest",
  });
  return [
    ...Object.entries({ capabilities, optional }).flatMap(([part, powers]) =>
      Object.keys(powers).flatMap((power) =>
        power === "events" || used.has(power) || isNamed(power) ? [] : [unused([part, power], power)],
      ),
    ),
    ...Object.entries({ capabilities, optional }).flatMap(([part, { ui = [] }]) =>
      OTHER_DIALOGS.test(text) || !isNamed("ui")
        ? []
        : ui.flatMap((one, index) =>
            isNamedAsCalled(one) && !isNamed(one) ? [unused([part, "ui", index], `${one} of ui`)] : [],
          ),
    ),
    ...(asks.events?.see ?? []).flatMap((name, index): Warning[] => {
      const place = at(["capabilities", "events", "see", index]);
      const isKnown = EVENT_NAMES.includes(name);
      if (name === "*" || (isKnown && events.includes(name))) return [];
      // Its handler is there under a mistyped name, which has a warning of its own.
      if (unknown.some((one) => one.events.includes(name))) return [];
      const message = isKnown
        ? `${name} is asked for, and the hook has no handler for it`
        : `${name} is asked for, and no agent sends it${meantBy(name)}`;
      return [
        {
          ...place,
          rule: isKnown ? "unused-event" : "unknown-event",
          level: "warning",
          message,
          remedy: "take it out of events.see",
        },
      ];
    }),
    ...Object.keys(capabilities).flatMap((power): Warning[] => {
      if (power === "events" || power === "ui" || Object.hasOwn(why, power)) return [];
      const message = `nothing says why it needs ${power}: a person reads that before they grant it`;
      return [
        { ...at(["capabilities", power]), rule: "no-why", level: "note", message, remedy: `add "${power}" to "why"` },
      ];
    }),
  ];
}

/** Files that its package names as hooks, and that are not there: nobody can add the package. */
export function noSuchHooks({ manifest: { file, root } }: Checked): Warning[] {
  if (file === undefined || basename(file) !== "package.json") return [];
  const { hooks } = (readJson(readFileSync(file, "utf8")) as { cordon?: { hooks?: unknown } }).cordon ?? {};
  const places = placesOfJson(file);
  return (Array.isArray(hooks) ? hooks : []).flatMap((path, at): Warning[] => {
    if (typeof path !== "string" || existsSync(join(root, path))) return [];
    const message = `cordon.hooks names ${path}, which is not there: the package cannot be added`;
    const remedy = "write the path of the hook's file";
    return [{ ...places(["cordon", "hooks", at]), rule: "no-such-hook", level: "warning", message, remedy }];
  });
}

/** What its manifest asks for that is more than a hook is likely to need. */
export function wide({ manifest }: Checked): Warning[] {
  if (manifest.file === undefined) return [];
  const at = placesIn(manifest);
  return (["capabilities", "optional"] as const).flatMap((part) =>
    wideIn(manifest.manifest?.[part] ?? {}).map(
      ({ path, means, remedy }): Warning => ({
        ...at([part, ...path]),
        rule: "wide-power",
        level: "warning",
        message: means,
        remedy,
      }),
    ),
  );
}

/** Places in a manifest by keys, whether it is a file or the key of a `package.json`. */
function placesIn({ file, packageName, root }: FoundManifest): (path: (string | number)[]) => Place {
  const places = placesOfJson(file ?? root);
  return (path) => places(file?.endsWith("package.json") || packageName !== undefined ? ["cordon", ...path] : path);
}
