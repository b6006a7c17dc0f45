type Instead = { value: unknown } | { error: Error };

/** What happens instead of a refusal to a hook that is tried out. Each refusal is reported all the same. */
export interface Pretence {
  /** Which branches of the hooks' own code run is counted: see `HookHost.branches`. */
  readonly branches?: true;
  /** With these powers a request that was refused is performed: reads, and what whoever tries the hook out answers. */
  readonly powers: object;
  /** Powers of which a request is performed with what would be proposed for it: it only tells the host something. */
  readonly proposed?: readonly string[];
  /** Other arguments, with which a request that was refused is performed; `undefined`: it is not. */
  others?(operation: string, args: readonly unknown[]): readonly unknown[] | undefined;
  /** The answer to any other request that was refused; `undefined`: it stays refused. */
  answer(operation: string, args: readonly unknown[]): { value: unknown } | undefined;
  /** The answer to a granted request that is not to be performed, or its failure; `undefined`: it is performed. */
  instead?(operation: string, args: readonly unknown[]): Instead | Promise<Instead> | undefined;
}
