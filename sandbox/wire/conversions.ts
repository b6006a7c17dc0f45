/** Most characters that the sandbox process takes at once of what it converts or hashes for a hook. More of them come in pieces. */
export const MAX_PIECE = 256 * 1024;
