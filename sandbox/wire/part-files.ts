/**
 * How the names begin of files in `dist/sandbox/modules` that only files there import. A hook's build takes these without asking
 * its plugin, which costs more than all else of a small build. No hook may import by such a name.
 */
export const PART = "cordon-part-";
