import type { ErrorCode } from "../base/errors.ts";
import type { Capabilities } from "../grants/schema.ts";

/** A request to a build process: a line of JSON on its standard input. */
export interface BuildRequest {
  /** Real, absolute path of the hook's own folder: nothing outside is read. */
  root: string;
  /** The hook's file, relative to `root`. */
  entry: string;
}

export interface SourceFile {
  /** Relative to the hook's folder, with `/`. */
  path: string;
  /** Hexadecimal; empty for a link. */
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
      imports: string[];
      uses: string[];
      written: Capabilities;
      lacks: string[];
      node: string;
    }
  | { ok: false; code: ErrorCode; message: string };
