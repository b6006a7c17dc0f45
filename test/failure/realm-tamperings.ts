/** What a hook, or a package in its bundle, may change in its own realm: a name, and the code. */
export const TAMPERINGS: readonly (readonly [name: string, code: string])[] = [
  ["a toJSON of all objects that returns an empty object", `put(Object.prototype, "toJSON", () => ({}));`],
  ["a toJSON of all objects that returns undefined", `put(Object.prototype, "toJSON", () => undefined);`],
  ["a toJSON of all objects that throws", `put(Object.prototype, "toJSON", () => { throw 1; });`],
  ["a toJSON of all arrays", `put(Array.prototype, "toJSON", () => []);`],
  ["a toJSON of all strings", `put(String.prototype, "toJSON", () => "");`],
  ...["errors", "result", "input", "tool", "kind", "verdict", "stop", "block", "code", "message"].map(
    (name) => [`a setter that swallows ${name}`, `swallow(Object.prototype, "${name}");`] as const,
  ),
  ...["result", "errors", "withheld", "live", "error", "then", "toolMatcher", "priority", "cancel"].map(
    (name) => [`a ${name} of all objects`, `put(Object.prototype, "${name}", /^never$/);`] as const,
  ),
  [
    "a then of all objects that resolves to undefined",
    `put(Object.prototype, "then", function (done) { done(undefined); });`,
  ],
  ["a then of promises that never calls back", "Promise.prototype.then = function () { return this; };"],
  [
    "a then of promises that resolves to undefined",
    "Promise.prototype.then = function (done) { done?.(undefined); return this; };",
  ],
  ["a catch of promises", "Promise.prototype.catch = function () { return this; };"],
  ["a finally of promises", "Promise.prototype.finally = function () { return this; };"],
  [
    "another constructor of promises",
    `put(Promise.prototype, "constructor", function (act) { act(() => {}, () => {}); });`,
  ],
  [
    "a constructor of promises that throws",
    `Object.defineProperty(Promise.prototype, "constructor", { get() { throw 1; } });`,
  ],
  [
    "another species of promises",
    `Object.defineProperty(Promise, Symbol.species, { get: () => function (act) { act(() => {}, () => {}); } });`,
  ],
  [
    "a constructor that throws, and a then that resolves to undefined",
    `Object.defineProperty(Promise.prototype, "constructor", { get() { throw 1; } }); Promise.prototype.then = function (done) { done?.(undefined); };`,
  ],
  ["Promise.resolve", "Promise.resolve = () => new Promise(() => {});"],
  ["Promise.reject", "Promise.reject = () => Promise.resolve(undefined);"],
  ["Promise.all", "Promise.all = () => Promise.resolve([]);"],
  ["Promise.withResolvers", "Promise.withResolvers = () => ({});"],
  ["Promise itself", "globalThis.Promise = class {};"],
  ...["get", "set", "has", "delete", "values", "keys", "entries", "forEach"].map(
    (name) => [`Map.prototype.${name}`, `Map.prototype.${name} = () => undefined;`] as const,
  ),
  ["Map.prototype.size", `Object.defineProperty(Map.prototype, "size", { get: () => 0 });`],
  ["Set.prototype.has", "Set.prototype.has = () => true;"],
  ["Set.prototype.add", "Set.prototype.add = function () { return this; };"],
  ["WeakMap.prototype.get", "WeakMap.prototype.get = () => undefined;"],
  ["the iterators of maps", "Object.getPrototypeOf(new Map()[Symbol.iterator]()).next = () => ({ done: true });"],
  ["the iterators of sets", "Object.getPrototypeOf(new Set()[Symbol.iterator]()).next = () => ({ done: true });"],
  ...["filter", "map", "flatMap", "slice", "concat", "splice", "sort", "reverse", "flat"].map(
    (name) => [`Array.prototype.${name}`, `Array.prototype.${name} = () => [];`] as const,
  ),
  ...["push", "some", "includes", "find", "findIndex", "indexOf", "forEach", "join", "shift", "pop", "at"].map(
    (name) => [`Array.prototype.${name}`, `Array.prototype.${name} = () => undefined;`] as const,
  ),
  ["Array.prototype.every", "Array.prototype.every = () => true;"],
  ["the iterator of arrays", "Array.prototype[Symbol.iterator] = function* () {};"],
  ["the iterators of arrays", "Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true });"],
  [
    "an iterator prototype with a return",
    `put(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), "return", () => { throw 1; });`,
  ],
  [
    "another constructor of arrays",
    `put(Array.prototype, "constructor", { [Symbol.species]: function () { return {}; } });`,
  ],
  [
    "another species of arrays",
    `Object.defineProperty(Array, Symbol.species, { get: () => function () { return {}; } });`,
  ],
  ["Array.isArray", "Array.isArray = () => false;"],
  ["Array.from", "Array.from = () => [];"],
  ...["0", "1", "2"].flatMap(
    (index) =>
      [
        [`a setter at ${index} of arrays`, `swallow(Array.prototype, "${index}");`],
        [`a setter at ${index} of all objects`, `swallow(Object.prototype, "${index}");`],
      ] as const,
  ),
  [
    "a proxy as the prototype of all arrays",
    "Object.setPrototypeOf(Array.prototype, new Proxy({}, { get: () => () => undefined, has: () => true }));",
  ],
  ...["slice", "trim", "toLowerCase", "replace", "charAt", "substring", "toString", "concat", "padStart"].map(
    (name) => [`String.prototype.${name}`, `String.prototype.${name} = () => "";`] as const,
  ),
  ...["indexOf", "charCodeAt", "search"].map(
    (name) => [`String.prototype.${name}`, `String.prototype.${name} = () => -1;`] as const,
  ),
  ...["startsWith", "endsWith", "includes"].map(
    (name) => [`String.prototype.${name}`, `String.prototype.${name} = () => true;`] as const,
  ),
  ["String.prototype.split", "String.prototype.split = () => [];"],
  ["the iterator of strings", "String.prototype[Symbol.iterator] = function* () {};"],
  ["String itself", `globalThis.String = () => "";`],
  ["RegExp.prototype.test", "RegExp.prototype.test = () => false;"],
  ["RegExp.prototype.exec", "RegExp.prototype.exec = () => null;"],
  ["RegExp.prototype.source", `Object.defineProperty(RegExp.prototype, "source", { get: () => "^never$" });`],
  ["RegExp.prototype.flags", `Object.defineProperty(RegExp.prototype, "flags", { get: () => "y" });`],
  ["RegExp.prototype[Symbol.replace]", `RegExp.prototype[Symbol.replace] = () => "";`],
  ["RegExp itself", "globalThis.RegExp = class {};"],
  ["Function.prototype.call", "Function.prototype.call = () => undefined;"],
  ["Function.prototype.apply", "Function.prototype.apply = () => undefined;"],
  ["Function.prototype.bind", "Function.prototype.bind = () => () => undefined;"],
  ...["keys", "entries", "values", "getOwnPropertyNames"].map(
    (name) => [`Object.${name}`, `Object.${name} = () => [];`] as const,
  ),
  ...["defineProperty", "defineProperties", "freeze", "assign", "create", "fromEntries", "setPrototypeOf"].map(
    (name) => [`Object.${name}`, `Object.${name} = () => ({});`] as const,
  ),
  ["Object.hasOwn", "Object.hasOwn = () => false;"],
  ["Object.getPrototypeOf", "Object.getPrototypeOf = () => null;"],
  ["Object.prototype.hasOwnProperty", "Object.prototype.hasOwnProperty = () => false;"],
  ["Object.prototype.toString", `Object.prototype.toString = () => "";`],
  ["Object.prototype.valueOf", "Object.prototype.valueOf = () => 0;"],
  ["Reflect.apply", "Reflect.apply = () => undefined;"],
  ["Reflect.ownKeys", "Reflect.ownKeys = () => [];"],
  ["Reflect.get", "Reflect.get = () => undefined;"],
  ["JSON.stringify", `JSON.stringify = () => "{}";`],
  ["JSON.parse", "JSON.parse = () => ({});"],
  ["Number and Math", "globalThis.Number = () => 0; Math.min = () => 0; Math.max = () => 0; Math.floor = () => 0;"],
  ["Date.now", "Date.now = () => 0;"],
  ["Error itself", "globalThis.Error = function () {};"],
  ["Error.isError", "Error.isError = () => false;"],
  ["the prototype of errors", `swallow(Error.prototype, "message"); swallow(Error.prototype, "stack");`],
  ["the instanceof of errors", `Object.defineProperty(Error, Symbol.hasInstance, { value: () => false });`],
  ["Symbol.for", `Symbol.for = () => Symbol("another");`],
  ["the timers", "globalThis.setTimeout = () => 0; globalThis.clearTimeout = () => {};"],
  ["AbortController", "globalThis.AbortController = class {}; AbortSignal.prototype.dispatchEvent = () => false;"],
  [
    "all objects frozen",
    "Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Promise.prototype);",
  ],
  [
    "Comlink's keys on all objects",
    `for (const name of ["id", "type", "path", "argumentList", "value", "name", "start"]) put(Object.prototype, name, "HANDLER");`,
  ],
  [
    "the runtime's own built-ins, reached by a function of the runtime",
    `const foreign = runtimeFunction.constructor.prototype; try { Object.getPrototypeOf(foreign).toJSON = () => ({}); } catch {} try { foreign.call = foreign.apply = () => undefined; } catch {}`,
  ],
];
