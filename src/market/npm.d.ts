/** npm's own libraries, as far as they are used here. */
declare module "@npmcli/git/lib/opts.js" {
  /** How npm's library runs git. Its variables ask nobody for a password, unless the person has set up what asks. */
  export default function optionsOf(): { env: NodeJS.ProcessEnv };
}

declare module "pacote" {
  type Options = Record<string, unknown>;

  export interface Manifest {
    name: string;
    version: string;
    _resolved: string;
    _integrity?: string;
    _npmUser?: { name?: string };
    /** Set once they are verified. */
    _attestationBundles?: unknown[];
    _signatures?: { keyid: string }[];
    dist?: { signatures?: unknown[]; attestations?: { url: string } };
  }

  export interface Download extends AsyncIterable<Buffer> {
    on(event: "error", listener: (error: Error) => void): unknown;
  }

  const pacote: {
    /** Unpacks a package into a folder, after its integrity was verified. */
    extract(
      spec: string,
      folder: string,
      options: { integrity: string; ignoreScripts: true; cache: string },
    ): Promise<unknown>;
    manifest(spec: string, options: Options): Promise<Manifest>;
    /** What exactly a spec means: the URL of a tarball, or of a repository with the commit. */
    resolve(spec: string, options: Options): Promise<string>;
    packument(
      spec: string,
      options: Options,
    ): Promise<{ time?: Record<string, string>; versions: Record<string, Manifest> }>;
    tarball: {
      /** Calls `act` with the stream, and again after a damaged download. Resolves with what `act` returns. */
      stream<T>(spec: string, act: (stream: Download) => Promise<T>, options: Options): Promise<T>;
    };
  };
  export default pacote;
}

declare module "npm-package-arg" {
  export interface Result {
    type: "git" | "tag" | "version" | "range" | "file" | "directory" | "remote" | "alias";
    raw: string;
    name: string | null;
    fetchSpec?: string;
    saveSpec?: string;
    /** Of a repository at a known host. */
    hosted?: { domain: string; user: string | null; project: string };
  }
  export default function npa(spec: string, where?: string): Result;
}

declare module "validate-npm-package-name" {
  /** `warnings`: what only old packages may have. */
  export default function validate(name: string): { errors?: string[]; warnings?: string[] };
}

declare module "@npmcli/arborist" {
  /** A package in a tree of dependencies. */
  export interface ArboristNode {
    /** Relative to the root, as in `node_modules/a`. */
    location: string;
    packageName: string;
    version: string;
    resolved: string | null;
    integrity: string | null;
    /** Why it could not be found. */
    errors: { code?: string; message: string }[];
    isRoot: boolean;
    isLink: boolean;
    optional: boolean;
    /** Optional, and not available or not for this platform. */
    inert: boolean;
    package: { os?: unknown; cpu?: unknown; libc?: unknown };
  }
  export default class Arborist {
    constructor(options: Record<string, unknown> & { path: string; ignoreScripts: true });
    /** Chooses packages for `package.json`. Fetches documents of the registry, and writes nothing. */
    buildIdealTree(): Promise<{ inventory: ReadonlyMap<string, ArboristNode> }>;
  }
}

declare module "npm-packlist" {
  /** The files of a package that npm publishes. It takes a node of Arborist, and reads this of it. */
  export default function packlist(node: {
    path: string;
    package: object;
    isProjectRoot: boolean;
    /** The dependencies that are there, by name. */
    edgesOut: ReadonlyMap<string, unknown>;
  }): Promise<string[]>;
}

declare module "semver" {
  /** Negative, zero or positive. Throws for an invalid version. */
  export function compare(a: string, b: string): number;
  /** The first version in a text. */
  export function coerce(text: string): { version: string } | null;
  /** Whether a range has a version. */
  export function satisfies(version: string, range: string, options: { loose: true; includePrerelease: true }): boolean;
  /** The version without its build metadata; `null` for an invalid version. */
  export function valid(version: string): string | null;
}

declare module "npm-registry-fetch" {
  interface Answer {
    status: number;
    headers: { get(name: string): string | null };
    body: import("pacote").Download;
  }
  const fetch: {
    /** Rejects for a status of 400 and above. */
    (url: string, options: Record<string, unknown>): Promise<Answer>;
    /** A document of the registry that the options name. */
    json(path: string, options: Record<string, unknown>): Promise<unknown>;
    /** The registry that a package comes from, by its scope. */
    pickRegistry(spec: string, options: Record<string, unknown>): string;
  };
  export default fetch;
}

declare module "@npmcli/config" {
  /** npm's settings, from defaults, files, environment and arguments. */
  export default class Config {
    constructor(options: {
      definitions: object;
      shorthands: object;
      nerfDarts: string[];
      /** Called for each source, in rising precedence: stores its settings under the names that npm's libraries read. */
      flatten(settings: Record<string, unknown>, options: Record<string, unknown>): void;
      npmPath: string;
      /** `load` writes into it. */
      env: Record<string, string>;
      argv: string[];
      cwd: string;
      warn: boolean;
    });
    load(): Promise<void>;
    readonly flat: Record<string, unknown>;
  }
}

declare module "@npmcli/config/lib/definitions/index.js" {
  const all: {
    definitions: Record<
      string,
      {
        default: unknown;
        flatten?(name: string, settings: Record<string, unknown>, options: Record<string, unknown>): void;
      }
    >;
    shorthands: object;
    nerfDarts: string[];
  };
  export default all;
}

declare module "make-fetch-happen" {
  /** What npm's other libraries get of each request. */
  export class Response {
    readonly body: { emit(event: string, ...values: unknown[]): boolean } | null;
    buffer(): Promise<unknown>;
    json(): Promise<unknown>;
    text(): Promise<unknown>;
  }
}
