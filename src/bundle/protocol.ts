import type { ErrorCode } from "../base/errors.ts";
import type { Capabilities } from "../grants/schema.ts";

/** A request to a build process: a line of JSON on its standard input. */
export interface BuildRequest {
  /** Real, absolute path of the hook's own folder: nothing outside is read. */
  root: string;
  /** The hook's file, relative to `root`. */
  entry: string;
  /** Its own code is to count which of its branches run. */
  branches?: boolean;
  /** It is of a package as its author published it: the bundle carries the files of packages that their code names. */
  packed?: boolean;
}

/** A part of a hook's own code that runs or not. */
export interface Branch {
  /** Relative to the hook's folder. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly kind: "function" | "if" | "else" | "case" | "catch" | "loop" | "choice" | "rest";
  /** The branch that it is a part of, by its index. */
  readonly within?: number;
}

export interface SourceFile {
  /** Relative to the hook's folder, with `/`. One at the end stands for the names of all that is in a folder. */
  path: string;
  /** Hexadecimal, of its bytes or those names; empty for a link. */
  sha256: string;
  /** Where a link leads in the end, relative to the hook's folder. */
  link?: string;
}

/** Its answer: a line of JSON on its standard output. */
export type BuildAnswer =
  | {
      ok: true;
      code: string;
      map: string;
      files: SourceFile[];
      /** Paths in the hook's folder, with `/`, that were looked for and are not there: a file at one would change the bundle. */
      absent: string[];
      branches?: Branch[];
      imports: string[];
      /** The agent whose plugin its package says it is, where exports alone do not show it. */
      agent?: "openclaw";
      /** The JSON Schema of the plugin's configuration, as its package has it. */
      configSchema?: Record<string, unknown>;
      /** Files that it carries, relative to the hook's folder, with `/`; left out if it carries none whatever files there are. */
      carries?: string[];
      uses: string[];
      written: Capabilities;
      lacks: string[];
      node: string;
    }
  | { ok: false; code: ErrorCode; message: string };
