import type { FileFacts } from "../../wire/answers.ts";

/** The common methods of `Stats` and `Dirent`. All of them return false for special files. */
class Entry {
  readonly #type: string;

  constructor(type: string) {
    this.#type = type;
  }

  isFile(): boolean {
    return this.#type === "file";
  }

  isDirectory(): boolean {
    return this.#type === "folder";
  }

  isSymbolicLink(): boolean {
    return this.#type === "link";
  }

  isFIFO(): boolean {
    return false;
  }

  isSocket(): boolean {
    return false;
  }

  isBlockDevice(): boolean {
    return false;
  }

  isCharacterDevice(): boolean {
    return false;
  }
}

/** `fs.Stats`. The ids of user and group are 0: a hook must not learn who owns a file. */
export class Stats extends Entry {
  readonly uid = 0;
  readonly gid = 0;
  readonly rdev = 0;
  readonly atime: Date;
  readonly mtime: Date;
  readonly ctime: Date;
  readonly birthtime: Date;

  constructor({ type, ...facts }: FileFacts) {
    super(type);
    Object.assign(this, facts);
    this.atime = new Date(Math.round(facts.atimeMs));
    this.mtime = new Date(Math.round(facts.mtimeMs));
    this.ctime = new Date(Math.round(facts.ctimeMs));
    this.birthtime = new Date(Math.round(facts.birthtimeMs));
  }
}

/** `fs.Dirent`. In a recursive listing, `parentPath` is the folder that contains the entry. */
export class Dirent extends Entry {
  readonly name: string;
  readonly parentPath: string;
  readonly path: string;

  constructor(name: string, type: string, folder: string) {
    super(type);
    const slash = name.lastIndexOf("/");
    this.name = name.slice(slash + 1);
    const above = folder === "." ? "" : `${folder.replace(/\/$/, "")}/`;
    this.parentPath = slash < 0 ? folder : above + name.slice(0, slash);
    this.path = this.parentPath;
  }
}
