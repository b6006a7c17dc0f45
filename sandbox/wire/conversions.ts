/** Most characters that the sandbox process converts for a hook at once: it holds them several times, beside the hook's own memory. */
export const MAX_CONVERTED = 8 * 1024 * 1024;
