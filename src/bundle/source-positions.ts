import { SourceMap } from "node:module";
import { isAbsolute, join } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { isInside } from "../runtime/find-program.ts";
import { offeredFolders } from "./offered-modules.ts";

/** The namespace of modules that throw in the place of others. */
export const THROWER = "cordon-thrower";

/** The file that a source map names. It may have a name that is no encoded one. */
export const fileOf = (source: string): string => attemptOr(() => decodeURIComponent(source), source);

/** Maps positions in a bundle back to the hook's own TypeScript. */
export class SourcePositions {
  readonly #text: string;
  readonly #root: string;
  #offered: readonly string[] | undefined;
  #parsed: { map: SourceMap | undefined } | undefined;

  constructor(map: string, root: string) {
    this.#text = map;
    this.#root = root;
  }

  /** Parsed when it is first needed: that takes 15 ms for a hook with Node's modules, and most sessions ask for no position. */
  get #map(): SourceMap | undefined {
    this.#parsed ??= { map: attemptOr(() => new SourceMap(readJson(this.#text)), undefined) };
    return this.#parsed.map;
  }

  /**
   * `cordon-hook.js:LINE:COLUMN` in a text becomes `/path/of/hook.ts:LINE:COLUMN`. Frames of the runtime, and of the modules
   * that Cordon offers, are left out.
   */
  translate(text: string): string {
    return text
      .split("\n")
      .filter((line) => !/^\s+at .*cordon-(guest|realm)\.js/.test(line))
      .flatMap((line) => {
        let offered = false;
        const translated = line.replace(/(?:file:\/\/\/)?cordon-hook\.js:(\d+):(\d+)/g, (whole, row, column) => {
          const position = this.#position(Number(row), Number(column));
          offered ||= position !== undefined && this.#isOffered(position);
          return position ?? whole;
        });
        return offered && /^\s+at /.test(line) ? [] : [translated];
      })
      .join("\n");
  }

  #isOffered(file: string): boolean {
    this.#offered ??= offeredFolders();
    // What throws in the place of a module that no hook can have: the file that wants it is in the next frame.
    return file.startsWith(join(this.#root, `${THROWER}:`)) || this.#offered.some((folder) => isInside(file, folder));
  }

  /** Absolute paths of the sources, in the hook's folder and of Cordon. */
  get files(): string[] {
    const { sources = [] } = (this.#map?.payload ?? {}) as { sources?: unknown[] };
    return sources.flatMap((source) => (typeof source === "string" ? [this.#file(source)] : []));
  }

  #file(source: string): string {
    const path = fileOf(source.replace(/^file:\/\//, ""));
    return isAbsolute(path) ? path : join(this.#root, path);
  }

  /** `LINE:COLUMN` in the bundle as `/path/of/hook.ts:LINE:COLUMN`; `undefined` if no source has it. */
  positionOf(place: string): string | undefined {
    const [row = 0, column = 0] = place.split(":").map(Number);
    return this.#position(row, column);
  }

  #position(row: number, column: number): string | undefined {
    const entry = this.#map?.findEntry(row - 1, column - 1);
    if (!entry || !("originalSource" in entry) || typeof entry.originalSource !== "string") return undefined;
    return `${this.#file(entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  }
}

/** The first position in a translated stack: `/path/of/hook.ts:LINE:COLUMN`. */
export const positionIn = (stack: string): string | undefined =>
  /(?:^|[\s(])((?:\/|[A-Za-z]:)[^()\n]*:\d+:\d+)/.exec(stack)?.[1];
