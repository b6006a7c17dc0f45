/** The size of a download as people read it, in whole MB. */
export const megabytesOf = (bytes: number): number => Math.ceil(bytes / 1e6);
