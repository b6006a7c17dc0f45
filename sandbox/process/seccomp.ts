import type { Native } from "./native.ts";

/** Numbers of a system call: `[x64, arm64]`. */
type Numbers = readonly [x64: number, arm64: number | undefined];

/**
 * The system calls that V8, libuv and the C library need when everything is open and running. None of them opens, creates,
 * connects, starts, traces or signals anything. `io_uring_enter` is missing, since a ring's operations bypass the filter.
 */
const ALLOWED: Readonly<Record<string, Numbers>> = {
  read: [0, 63],
  write: [1, 64],
  readv: [19, 65],
  writev: [20, 66],
  pwrite64: [18, 68],
  close: [3, 57],
  fstat: [5, 80],
  munmap: [11, 215],
  mremap: [25, 216],
  madvise: [28, 233],
  brk: [12, 214],
  futex: [202, 98],
  sched_yield: [24, 124],
  nanosleep: [35, 101],
  clock_nanosleep: [230, 115],
  clock_gettime: [228, 113],
  gettimeofday: [96, 169],
  epoll_wait: [232, undefined],
  epoll_pwait: [281, 22],
  epoll_pwait2: [441, 441],
  epoll_ctl: [233, 21],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  sigaltstack: [131, 132],
  getpid: [39, 172],
  gettid: [186, 178],
  exit: [60, 93],
  exit_group: [231, 94],
  getrandom: [318, 278],
  sched_getaffinity: [204, 123],
  getrusage: [98, 165],
  membarrier: [324, 283],
  rseq: [334, 293],
  set_robust_list: [273, 99],
  restart_syscall: [219, 128],
};

/** What SQLite needs besides, to open its files whenever it likes. Which files those are is landlock's to say. */
const ON_FILES: Readonly<Record<string, Numbers>> = {
  open: [2, undefined],
  openat: [257, 56],
  stat: [4, undefined],
  lstat: [6, undefined],
  newfstatat: [262, 79],
  statx: [332, 291],
  lseek: [8, 62],
  pread64: [17, 67],
  ftruncate: [77, 46],
  fallocate: [285, 47],
  fsync: [74, 82],
  fdatasync: [75, 83],
  unlink: [87, undefined],
  unlinkat: [263, 35],
  access: [21, undefined],
  faccessat: [269, 48],
  faccessat2: [439, 439],
  readlink: [89, undefined],
  readlinkat: [267, 78],
  getcwd: [79, 17],
  geteuid: [107, 175],
};

/** What is allowed for some arguments alone, and what the filter is set with. */
const CONDITIONAL = {
  mmap: [9, 222],
  mprotect: [10, 226],
  pkey_mprotect: [329, 288],
  clone: [56, 220],
  clone3: [435, 435],
  tgkill: [234, 131],
  fcntl: [72, 25],
  prctl: [157, 167],
  seccomp: [317, 277],
} as const satisfies Record<string, Numbers>;

/** `column`: of the tables of numbers. */
type Architecture = { readonly column: 0 | 1; readonly audit: number };

const X64: Architecture = { column: 0, audit: 0xc000003e };
const ARCHITECTURES: Record<string, Architecture> = { x64: X64, arm64: { column: 1, audit: 0xc00000b7 } };

// Classic BPF: load a 32-bit word, compare it with a constant, return.
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const REFUSE = 0x00050001; // EPERM
const ABSENT = 0x00050026; // ENOSYS: the C library then takes the older call

// struct seccomp_data, little-endian: low words of the arguments.
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argument = (index: number): number => 16 + 8 * index;

const X32 = 0x40000000;
const PROT_EXEC = 4;
const CLONE_THREAD = 0x10000;
const F_SETFL = 4;
const F_SETLKW = 7;
const PR_SET_VMA = 0x53564d41;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, constant: number];

/** If the call is `number`: what is to come of it. */
const only = (number: number, outcome: number): Instruction[] => [
  [IF_EQUAL, 0, 1, number],
  [RETURN, 0, 0, outcome],
];

/** If the call is `name`: allowed when the word at `at` passes `test`, else refused. Ends with the number loaded again. */
function when(
  number: number,
  at: number,
  test: number,
  constant: number,
  onTrue: number,
  onFalse: number,
): Instruction[] {
  return [
    [IF_EQUAL, 0, 4, number],
    [LOAD, 0, 0, at],
    [test, 0, 1, constant],
    [RETURN, 0, 0, onTrue],
    [RETURN, 0, 0, onFalse],
  ];
}

/** What a process may do beyond running. `jit`: make machine code. `files`: open files, and lock them. */
export interface Beyond {
  readonly jit: boolean;
  readonly files: boolean;
}

/** The filter of one architecture. */
function program({ column, audit }: Architecture, pid: number, { jit, files }: Beyond): Instruction[] {
  const number = (name: keyof typeof CONDITIONAL): number => CONDITIONAL[name][column];
  return [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_AT],
    // The third ABI of x64 has numbers of its own for the same calls.
    ...(column === X64.column
      ? ([
          [IF_AT_LEAST, 0, 1, X32],
          [RETURN, 0, 0, KILL_PROCESS],
        ] as Instruction[])
      : []),
    ...Object.values({ ...ALLOWED, ...(files ? ON_FILES : {}) }).flatMap(({ [column]: value }) =>
      value === undefined ? [] : only(value, ALLOW),
    ),
    ...(["mmap", "mprotect", "pkey_mprotect"] as const).flatMap((name) =>
      when(number(name), argument(2), IF_ANY_BIT, PROT_EXEC, jit ? ALLOW : REFUSE, ALLOW),
    ),
    // Threads, and no processes.
    ...when(number("clone"), argument(0), IF_ANY_BIT, CLONE_THREAD, ALLOW, REFUSE),
    // Its arguments stand in memory, where a filter cannot look.
    ...only(number("clone3"), ABSENT),
    // `abort` signals its own thread.
    ...when(number("tgkill"), argument(0), IF_EQUAL, pid, ALLOW, REFUSE),
    // F_SETOWN and its kind would send signals elsewhere.
    ...when(number("fcntl"), argument(1), IF_AT_LEAST, (files ? F_SETLKW : F_SETFL) + 1, REFUSE, ALLOW),
    ...when(number("prctl"), argument(0), IF_EQUAL, PR_SET_VMA, ALLOW, REFUSE),
    [RETURN, 0, 0, REFUSE],
  ];
}

const SET_NO_NEW_PRIVS = 38;
const SET_MODE_FILTER = 1;
const ALL_THREADS = 1;

/**
 * Refuses, for all threads and for good, every system call but those that a running sandbox needs. False where it could
 * not be done: another architecture, or a kernel that says no.
 */
export function seccomp({ call, address }: Native, architecture: string, pid: number, beyond: Beyond): boolean {
  const known = ARCHITECTURES[architecture];
  if (!known) return false;
  const instructions = program(known, pid, beyond);
  const filter = new DataView(new ArrayBuffer(8 * instructions.length));
  for (const [index, [code, ifTrue, ifFalse, constant]] of instructions.entries()) {
    filter.setUint16(8 * index, code, true);
    filter.setUint8(8 * index + 2, ifTrue);
    filter.setUint8(8 * index + 3, ifFalse);
    filter.setUint32(8 * index + 4, constant, true);
  }
  const header = new BigUint64Array([BigInt(instructions.length), address(filter)]);
  if (call(CONDITIONAL.prctl[known.column], SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) return false;
  return call(CONDITIONAL.seccomp[known.column], SET_MODE_FILTER, ALL_THREADS, address(header)) === 0;
}
