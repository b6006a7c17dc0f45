/** Something that a person should look at. `wrong`: something is broken or was tampered with; `look`: decide whether it should be so. */
export interface Trouble {
  level: "wrong" | "look";
  /** The hook's name, if it is about one. */
  hook?: string;
  text: string;
  /** The command that helps. */
  run?: string;
}
