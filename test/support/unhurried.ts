/**
 * Limits of hooks that are tested for what they do, and not for how long they take: a slow machine needs several times the CPU
 * time of a quick one for the same work.
 */
export const UNHURRIED = { cpuMs: 20_000 } as const;
