/** What `cordon doctor` found. */
export interface Finding {
  what: string;
  ok: boolean;
  /** No fault, but worth knowing: a layer that is missing by design, a hook that waits. */
  note?: boolean;
  /** A note of what no command mends, or of what a person decided: `--strict` does not count it. */
  standing?: true;
  detail: string;
}

export const fine = (what: string, detail: string): Finding => ({ what, ok: true, detail });
export const remark = (what: string, detail: string): Finding => ({ what, ok: true, note: true, detail });
export const standing = (what: string, detail: string): Finding => ({ ...remark(what, detail), standing: true });
export const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });
