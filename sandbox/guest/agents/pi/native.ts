/** The library of pi-tui's in native code: no machine has one for a hook. */
export const getNativePlatformHelper = (): undefined => undefined;
export const getNativeClipboard = (): undefined => undefined;
