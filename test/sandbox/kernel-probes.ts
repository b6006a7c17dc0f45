import type { Probe } from "./probe.ts";

/** System calls by their numbers on x64 and arm64. */
const NUMBERS: Record<string, readonly [number, number]> = {
  openat: [257, 56],
  openat2: [437, 437],
  newfstatat: [262, 79],
  readlinkat: [267, 78],
  unlinkat: [263, 35],
  mkdirat: [258, 34],
  renameat2: [316, 276],
  symlinkat: [266, 36],
  linkat: [265, 37],
  fchmodat: [268, 53],
  chdir: [80, 49],
  getdents64: [217, 61],
  memfd_create: [319, 279],
  dup: [32, 23],
  pipe2: [293, 59],
  socket: [41, 198],
  socketpair: [53, 199],
  sendmsg: [46, 211],
  recvmsg: [47, 212],
  inotify_init1: [294, 26],
  shmget: [29, 194],
  kill: [62, 129],
  tgkill: [234, 131],
  pidfd_open: [434, 434],
  rt_sigqueueinfo: [129, 138],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  setpriority: [141, 140],
  prlimit64: [302, 261],
  sched_setaffinity: [203, 122],
  clone: [56, 220],
  execve: [59, 221],
  mmap: [9, 222],
  mprotect: [10, 226],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  userfaultfd: [323, 282],
  prctl: [157, 167],
  fcntl: [72, 25],
  ioctl: [16, 29],
  umask: [95, 166],
  getppid: [110, 173],
};

const table = Object.fromEntries(
  Object.entries(NUMBERS).map(([name, [x64, arm64]]) => [name, process.arch === "arm64" ? arm64 : x64]),
);

/**
 * Acts of native code in the sandbox process: raw system calls, prepared before it is confined. `sys` makes a call and
 * throws if the kernel refuses it; a call that fails for another reason was permitted.
 */
export const PRELUDE = `
  const ffi = process.getBuiltinModule("node:ffi");
  const SYS = ${JSON.stringify(table)};
  const six = ["u64", "u64", "u64", "u64", "u64", "u64"];
  const { syscall, __errno_location } = ffi.dlopen(null, {
    syscall: { return: "i64", arguments: ["u64", ...six] },
    __errno_location: { return: "pointer", arguments: [] },
  }).functions;
  // Views and addresses taken now: the module itself answers nothing once it is dropped.
  const errno = ffi.toBuffer(__errno_location(), 4, false);
  const arena = Buffer.alloc(65536);
  const base = ffi.getRawPointer(arena);
  let used = 0;
  const at = (bytes) => {
    bytes.copy(arena, used);
    used += bytes.length;
    return base + BigInt(used - bytes.length);
  };
  const text = (value) => at(Buffer.from(value + "\\0"));
  const sys = (name, ...args) => {
    const full = six.map((_, index) => BigInt.asUintN(64, BigInt(args[index] ?? 0)));
    const result = Number(syscall(BigInt(SYS[name]), ...full));
    if (result >= 0) return result;
    const error = errno.readInt32LE(0);
    // EPERM, EACCES, ENOSYS.
    if ([1, 13, 38].includes(error)) throw new Error("errno " + error);
    return "errno " + error;
  };
  const HERE = -100;
  const scratch = at(Buffer.alloc(4096));
`;

const WITHOUT = "-1";
const probe = (name: string, source: string): Probe => ({ name, source });

/** Reads need only the call. If a call could do harm, its arguments make it fail after it was permitted. */
export const KERNEL_PROBES: readonly Probe[] = [
  probe("reading a file", "return sys('openat', HERE, text($.secret), 0);"),
  probe("reading a file by openat2", "return sys('openat2', HERE, text($.secret), at(Buffer.alloc(24)), 24);"),
  probe("making a file", "return sys('openat', HERE, text($.folder + '/made'), 0o1101, 0o600);"),
  probe("writing a file", "return sys('openat', HERE, text($.victim), 1);"),
  probe("opening a folder", "return sys('openat', HERE, text($.folder), 0o200000);"),
  probe("a file's facts", "return sys('newfstatat', HERE, text($.secret), scratch, 0);"),
  probe("the target of a link", "return sys('readlinkat', HERE, text('/proc/self/exe'), scratch, 4096);"),
  probe("deleting a file", "return sys('unlinkat', HERE, text($.folder + '/none'), 0);"),
  probe("making a folder", "return sys('mkdirat', HERE, text($.secret), 0o700);"),
  probe(
    "renaming a file",
    "return sys('renameat2', HERE, text($.folder + '/none'), HERE, text($.folder + '/nil'), 0);",
  ),
  probe("making a symbolic link", "return sys('symlinkat', text('x'), HERE, text($.secret));"),
  probe(
    "making a hard link",
    "return sys('linkat', HERE, text($.folder + '/none'), HERE, text($.folder + '/nil'), 0);",
  ),
  probe("changing a file's mode", "return sys('fchmodat', HERE, text($.folder + '/none'), 0o777);"),
  probe("changing the folder", "return sys('chdir', text('/'));"),
  probe("the memory of the host", "return sys('openat', HERE, text('/proc/' + $.host + '/mem'), 2);"),
  probe("the environment of the host", "return sys('openat', HERE, text('/proc/' + $.host + '/environ'), 0);"),
  probe("the descriptors of the host", "return sys('openat', HERE, text('/proc/' + $.host + '/fd'), 0o200000);"),
  probe("its own memory as a file", "return sys('openat', HERE, text('/proc/self/mem'), 2);"),
  probe("memory of a bystander", "return sys('process_vm_readv', $.bystander, 0, 0, 0, 0, 0);"),
  probe("changing memory of a bystander", "return sys('process_vm_writev', $.bystander, 0, 0, 0, 0, 0);"),
  probe("tracing a bystander", "return sys('ptrace', 0x4206, $.bystander, 0, 0xffffff);"),
  probe("a signal to a bystander", "return sys('kill', $.bystander, 0);"),
  probe("a signal to a thread of a bystander", "return sys('tgkill', $.bystander, $.bystander, 0);"),
  probe("a signal with a value", "return sys('rt_sigqueueinfo', $.bystander, 0, scratch);"),
  probe("a handle of a bystander", "return sys('pidfd_open', $.bystander, 0);"),
  probe("a signal by way of a descriptor's owner", "return sys('fcntl', 3, 8, $.bystander);"),
  probe("the priority of a bystander", "return sys('setpriority', 0, $.bystander, 0);"),
  probe("the limits of a bystander", "return sys('prlimit64', $.bystander, 7, 0, scratch);"),
  probe("the cores of a bystander", "return sys('sched_setaffinity', $.bystander, 0, scratch);"),
  probe("a TCP socket", "return sys('socket', 2, 1, 0);"),
  probe("a UDP socket", "return sys('socket', 2, 2, 0);"),
  probe("a unix socket", "return sys('socket', 1, 1, 0);"),
  probe("a netlink socket", "return sys('socket', 16, 3, 0);"),
  probe("a pair of sockets", "return sys('socketpair', 1, 1, 0, scratch);"),
  probe("sending a descriptor", `return sys('sendmsg', ${WITHOUT}, scratch, 0);`),
  probe("receiving a descriptor", `return sys('recvmsg', ${WITHOUT}, scratch, 0);`),
  probe("a pipe", "return sys('pipe2', scratch, 0);"),
  probe("a copy of a descriptor", "return sys('dup', 3);"),
  probe("a file in memory", "return sys('memfd_create', text('x'), 0);"),
  probe("shared memory", "return sys('shmget', 0, 4096, 0o600);"),
  probe("watching files", "return sys('inotify_init1', 0);"),
  probe("handling page faults", "return sys('userfaultfd', 1);"),
  // CLONE_SIGHAND without CLONE_VM: if permitted, it fails before there is a child.
  probe("a child process", "return sys('clone', 0x800, 0, 0, 0, 0);"),
  probe("another program", "return sys('execve', text($.folder + '/none'), 0, 0);"),
  probe("new machine code", "return sys('mmap', 0, 4096, 7, 0x22, -1, 0);"),
  probe("data made machine code", "return sys('mprotect', 4096, 4096, 5);"),
  probe("a new ring of operations", "return sys('io_uring_setup', 1, at(Buffer.alloc(120)));"),
  probe("operations of a ring that is open", `return sys('io_uring_enter', ${WITHOUT}, 1, 0, 0, 0, 0);`),
  probe("its own traces", "return sys('prctl', 4, 1, 0, 0, 0);"),
  probe("a terminal's input", "return sys('ioctl', 3, 0x5412, scratch);"),
  probe("the mask of new files", "return sys('umask', 0o22);"),
  probe("who the host is", "return sys('getppid');"),
];
