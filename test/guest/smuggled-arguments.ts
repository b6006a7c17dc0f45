/**
 * Disguised lists of arguments, for a hook that may only run `echo say a`: code that runs
 * before, the list, and the hook's result. Either only `echo say a` runs, or nothing does; both are allowed
 where `gets` is `"either"`.
 */
export const SMUGGLED: readonly { name: string; set?: string; args: string; gets: string | RegExp }[] = [
  { name: "the granted arguments", args: `["say", "a"]`, gets: "say a\n" },
  { name: "a list inside of the list", args: `["say", ["a"]] as any`, gets: "say a\n" },
  { name: "two arguments in one list inside", args: `["say", ["a", "b"]] as any`, gets: "NOT_GRANTED" },
  { name: "two arguments in one text", args: `["say a"]`, gets: "NOT_GRANTED" },
  { name: "an object that converts to text", args: `["say", { toString: () => "a" }] as any`, gets: "say a\n" },
  {
    name: "an object that converts to another text the second time",
    set: "let times = 0;",
    args: `["say", { toString: () => (times++ === 0 ? "a" : "-e") }] as any`,
    gets: "say a\n",
  },
  {
    name: "an object whose JSON differs from its text",
    args: `["say", { toString: () => "a", toJSON: () => "-e" }] as any`,
    gets: "say a\n",
  },
  {
    name: "an object whose text throws",
    args: `["say", { toString() { throw new Error("mine"); } }] as any`,
    gets: "mine",
  },
  { name: "an object without a text", args: `["say", Object.create(null)] as any`, gets: /object/ },
  { name: "a boxed text", args: `["say", new String("a")] as any`, gets: "say a\n" },
  { name: "a number", args: `["say", 1] as any`, gets: "NOT_GRANTED" },
  { name: "a null character and more", args: `["say", "a\\0-e"]`, gets: "NOT_GRANTED" },
  { name: "a null character at the end", args: `["say", "a\\0"]`, gets: "NOT_GRANTED" },
  { name: "a line break and more", args: `["say", "a\\n-e"]`, gets: "NOT_GRANTED" },
  { name: "a line break at the end", args: `["say", "a\\n"]`, gets: "NOT_GRANTED" },
  { name: "a space at the end", args: `["say", "a "]`, gets: "NOT_GRANTED" },
  { name: "a character that looks the same", args: `["say", "\\u0430"]`, gets: "NOT_GRANTED" },
  { name: "a character in two parts", args: `["say", "a\\u0301"]`, gets: "NOT_GRANTED" },
  { name: "a lone surrogate", args: `["say", "a\\ud800"]`, gets: "NOT_GRANTED" },
  { name: "one more argument", args: `["say", "a", "b"]`, gets: "NOT_GRANTED" },
  { name: "one more argument, and it is empty", args: `["say", "a", ""]`, gets: "NOT_GRANTED" },
  { name: "one argument too few", args: `["say"]`, gets: "NOT_GRANTED" },
  { name: "no list", args: `undefined`, gets: "NOT_GRANTED" },
  { name: "an option instead of a literal", args: `["-e", "a"]`, gets: "NOT_GRANTED" },
  {
    name: "a list whose map gives another",
    set: `class Other extends Array { override map(): any { return ["-e"]; } }`,
    args: `Other.from(["say", "a"]) as string[]`,
    gets: "either",
  },
  {
    name: "a list that is a proxy",
    args: `new Proxy(["say", "a"], { get: (list: any, key) => (key === "map" ? () => ["say", "-e"] : list[key]) })`,
    gets: "either",
  },
  {
    name: "a changed Array.prototype.map",
    set: `Array.prototype.map = (() => ["-e"]) as any;`,
    args: `["say", "a"]`,
    gets: "either",
  },
  {
    name: "a list with a toJSON of every list's",
    set: `(Array.prototype as any).toJSON = () => ["-e"];`,
    args: `["say", "a"]`,
    gets: /BAD_RESULT/,
  },
  {
    name: "a list whose map gives objects",
    set: `class Other extends Array { override map(): any { return [{ evil: 1 }]; } }`,
    args: `Other.from(["say", "a"]) as string[]`,
    gets: "either",
  },
  {
    name: "options of the host's own",
    args: `(globalThis as any)[Symbol.for("cordon.host")].sync("exec", ["echo", ["say", "a"], { uid: 0 }])`,
    gets: /^exec: argument 3 is not/,
  },
  {
    name: "the host asked directly",
    args: `(globalThis as any)[Symbol.for("cordon.host")].sync("exec", ["echo", ["-e"], {}])`,
    gets: "NOT_GRANTED",
  },
];
