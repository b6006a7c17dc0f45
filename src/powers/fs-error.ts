/** An error as Node's file system throws it. One with a `syscall` is told to the hook with the paths that it gave. */
export const fsError = (code: string, reason: string, syscall?: string): Error =>
  Object.assign(new Error(`${code}: ${reason}`), { code, syscall });
