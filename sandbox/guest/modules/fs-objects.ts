/** What the host says of a file. */
interface Facts {
  type: string;
  mode: number;
  size: number;
  atimeMs: number;
  mtimeMs: number;
  ctimeMs: number;
  birthtimeMs: number;
  [name: string]: unknown;
}

const kinds = (type: string) => ({
  isFile: () => type === "file",
  isDirectory: () => type === "folder",
  isSymbolicLink: () => type === "link",
  isFIFO: () => false,
  isSocket: () => false,
  isBlockDevice: () => false,
  isCharacterDevice: () => false,
});

/** `fs.Stats`. The ids of user and group are 0: whose files they are is not a hook's to know. */
export class Stats {
  readonly uid = 0;
  readonly gid = 0;
  readonly rdev = 0;
  readonly atime: Date;
  readonly mtime: Date;
  readonly ctime: Date;
  readonly birthtime: Date;
  declare readonly size: number;
  declare readonly mtimeMs: number;

  constructor({ type, ...facts }: Facts) {
    Object.assign(this, facts);
    this.atime = new Date(facts.atimeMs);
    this.mtime = new Date(facts.mtimeMs);
    this.ctime = new Date(facts.ctimeMs);
    this.birthtime = new Date(facts.birthtimeMs);
    define(this, kinds(type));
  }
}

/** `fs.Dirent`. `name` holds the folders below the listed one, for a recursive listing. */
export class Dirent {
  readonly name: string;
  readonly parentPath: string;
  readonly path: string;

  constructor(name: string, type: string, folder: string) {
    const slash = name.lastIndexOf("/");
    this.name = name.slice(slash + 1);
    this.parentPath = slash < 0 ? folder : `${folder.replace(/\/$/, "")}/${name.slice(0, slash)}`;
    this.path = this.parentPath;
    define(this, kinds(type));
  }
}

export interface Stats extends ReturnType<typeof kinds> {}
export interface Dirent extends ReturnType<typeof kinds> {}

function define(target: object, methods: object): void {
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(target, name, { value });
}
