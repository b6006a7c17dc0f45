/** `node:fs/promises`. */
import { promises } from "./fs-api.ts";

export const {
  readFile,
  writeFile,
  appendFile,
  stat,
  lstat,
  access,
  realpath,
  readdir,
  mkdir,
  rmdir,
  unlink,
  rm,
  readlink,
  symlink,
  link,
  rename,
  copyFile,
  mkdtemp,
  chmod,
  utimes,
  open,
  opendir,
  truncate,
  constants,
} = promises;
export default promises;
