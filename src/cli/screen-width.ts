/** Columns of a screen that does not say how wide it is. */
export const DEFAULT_COLUMNS = 80;
