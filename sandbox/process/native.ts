/** What the sandbox process uses of `node:ffi`, which Node 24 lacks. */
export interface Ffi {
  dlopen(
    path: null,
    definitions: Record<string, { return: string; arguments: readonly string[] }>,
  ): { functions: Record<string, (...args: (bigint | number)[]) => bigint | number> };
  getRawPointer(source: ArrayBuffer | ArrayBufferView): bigint;
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
