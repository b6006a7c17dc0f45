/** What the sandbox process uses of `node:ffi`, which Node 24 lacks. */
export interface Ffi {
  dlopen(
    path: null,
    definitions: Record<string, { return: string; arguments: readonly string[] }>,
  ): { functions: Record<string, (...args: (bigint | number)[]) => bigint | number> };
  getRawPointer(source: ArrayBuffer | ArrayBufferView): bigint;
  /** Without `copy`, the memory itself. */
  toArrayBuffer(pointer: bigint, length: number, copy: boolean): ArrayBuffer;
}

/** This process's `node:ffi`, as long as it may use it. */
export function ownFfi(): Ffi | undefined {
  const { permission } = process as typeof process & { permission?: { has?(scope: string): boolean } };
  return permission?.has?.("ffi") ? (process.getBuiltinModule("node:ffi") as Ffi) : undefined;
}

const READ_AND_WRITE = 3;
const SHARED = 1;

/** The first bytes of an open file, as memory: what is written there, whoever reads the file reads. `undefined` if the kernel says no. */
export function sharedMemory(ffi: Ffi, file: number, bytes: number): ArrayBuffer | undefined {
  const { mmap } = ffi.dlopen(null, {
    mmap: { return: "i64", arguments: ["u64", "u64", "i32", "i32", "i32", "i64"] },
  }).functions;
  const address = BigInt(mmap?.(0n, BigInt(bytes), READ_AND_WRITE, SHARED, file, 0n) ?? -1);
  return address === -1n ? undefined : ffi.toArrayBuffer(address, bytes, false);
}

const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;

/**
 * Returns a function that waits until a descriptor can be read, for so many ms at the most: it may say no before. `undefined` if the
 * kernel says no. Unlike `poll`, this works in a process that may open no descriptor.
 */
export function waiting(ffi: Ffi, descriptor: number): ((ms: number) => boolean) | undefined {
  const { epoll_create1, epoll_ctl, epoll_wait } = ffi.dlopen(null, {
    epoll_create1: { return: "i32", arguments: ["i32"] },
    epoll_ctl: { return: "i32", arguments: ["i32", "i32", "i32", "u64"] },
    epoll_wait: { return: "i32", arguments: ["i32", "u64", "i32", "i32"] },
  }).functions;
  // struct epoll_event begins with u32 events, and has 12 bytes or 16. A buffer of its own is never moved.
  const event = new Uint32Array(new ArrayBuffer(16));
  event[0] = EPOLLIN;
  const set = Number(epoll_create1?.(0) ?? -1);
  const address = ffi.getRawPointer(event);
  if (set < 0 || epoll_ctl?.(set, EPOLL_CTL_ADD, descriptor, address) !== 0) return undefined;
  return (ms) => {
    // The kernel writes into it, so it must not be collected.
    event.fill(0);
    return Number(epoll_wait?.(set, address, 1, ms)) === 1;
  };
}

/** Raw system calls of this process, made by the C library's `syscall`. */
export interface Native {
  /** The result, or -1: the kernel said no. Numbers are those of this machine's architecture. */
  call(number: number, ...args: (bigint | number)[]): number;
  close(descriptor: number): void;
  /** Where the bytes are. They must outlive the call. */
  address(bytes: ArrayBufferView): bigint;
}

const ARGUMENTS = ["u64", "u64", "u64", "u64", "u64", "u64"] as const;

export function native(ffi: Ffi): Native {
  const { syscall, close } = ffi.dlopen(null, {
    syscall: { return: "i64", arguments: ["u64", ...ARGUMENTS] },
    close: { return: "i32", arguments: ["i32"] },
  }).functions;
  return {
    call: (number, ...args) => {
      const six = ARGUMENTS.map((_, index) => BigInt.asUintN(64, BigInt(args[index] ?? 0)));
      return Number(syscall?.(BigInt(number), ...six));
    },
    close: (descriptor) => void close?.(descriptor),
    address: (bytes) => ffi.getRawPointer(bytes),
  };
}
