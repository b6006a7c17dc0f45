/** The smallest grant that would cover what a hook tried: a power, and its entry in `capabilities`. */
export interface Wanted {
  capability: string;
  grant: unknown;
}
