/**
 * Uses what V8 has in twelve isolates, of which some end in between: every built-in that can be reached, names, numbers, dates, regular
 * expressions, private members, generators, errors, locales, and garbage. Prints what came of it. Its argument is the addon.
 */
const module = { exports: {} };
process.dlopen(module, process.argv[2]);
const ivm = module.exports.ivm ?? module.exports;

const USES = `(() => {
  const seen = new Set();
  let names = "";
  const walk = (value) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      names += String(key);
      const { value: inner, get, set } = Reflect.getOwnPropertyDescriptor(value, key);
      for (const one of [inner, get, set]) walk(one);
    }
    walk(Object.getPrototypeOf(value));
  };
  walk(globalThis);
  const rows = Array.from({ length: 3000 }, (_, at) => ({
    ["key" + at]: at,
    text: "é".repeat(at % 50),
    date: new Date(at),
    match: new RegExp("a{" + (at % 9) + "}b", "giu").exec("aaab"),
    big: String(BigInt(at) ** 3n),
  }));
  const copied = JSON.parse(JSON.stringify(rows));
  class Secret {
    #hidden = 1;
    get hidden() {
      return this.#hidden;
    }
  }
  const counted = [...(function* () { yield* copied; })()].length;
  const symbols = new Map(copied.map((row, at) => [Symbol.for("s" + at), row])).size;
  const shown = new Intl.NumberFormat("de").format(1234.5) + new Date(0).toLocaleString("en", { timeZone: "UTC" });
  let stack = 0;
  try {
    null.x;
  } catch (error) {
    stack = error.stack.split("\\n").length;
  }
  return [seen.size, names.length, counted, symbols, shown, "ß".normalize("NFKD").toUpperCase(), new Secret().hidden, stack].join();
})()`;

const said = new Set();
for (let count = 0; count < 12; count++) {
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  for (let realms = 0; realms < 2; realms++) said.add(isolate.createContextSync().evalSync(USES));
  if (count % 3 > 0) isolate.dispose();
}
console.log([...said].join("\n"));
