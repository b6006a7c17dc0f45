import type { Limits } from "../../../src/grants/schema.ts";
import type { Example } from "./examples.ts";

/** A package that somebody published for pi, and how a person uses it. */
export type CommunityPackage = Omit<Example, "deps"> & (OnNpm | InRepository) & Use;

interface OnNpm {
  /** Its name on npm. */
  name: string;
  version: string;
  /** Of its tarball, as the registry has it. */
  integrity: string;
}

interface InRepository {
  /** What the tables call it: the repository, and what of it. */
  name: string;
  repository: `github:${string}/${string}`;
  /** The whole hash: it stands for all files. */
  commit: string;
  /** The folder that is its package. Default: all of the repository. */
  folder?: string;
  /** What it needs of npm, as `name@version`. Default: what its package.json says. */
  needs?: readonly string[];
}

interface Use {
  /** Its extension, relative to the package. */
  entry: string;
  /** What it makes up anew in each run. */
  varies?: readonly RegExp[];
  /** What a person adds to the grant that `cordon trace` proposes: at most one dialog. {@link Example.powers} is not used. */
  more?: object;
  /** What a person allows its isolate. */
  limits?: Limits;
}

/** The version of a package: npm's, or the beginning of a commit's hash. */
export const versionOf = (one: CommunityPackage): string => ("commit" in one ? one.commit.slice(0, 7) : one.version);
