/**
 * The programs that pi's `find` and `grep` tools start. pi downloads those that are missing; here, they are programs of the
 * machine, each by its `exec` grant.
 */
export const ensureTool = async (program: "fd" | "rg"): Promise<string> => program;
