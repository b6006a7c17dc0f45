/** `node:util/types` of unenv, and the functions that it lacks. */
import base from "unenv/node/util/types";

// Exported by name: esbuild loses the names of `export *` from a module that other modules here import, too.
export {
  isArrayBuffer,
  isBigIntObject,
  isBooleanObject,
  isDataView,
  isDate,
  isExternal,
  isMap,
  isNumberObject,
  isPromise,
  isRegExp,
  isSet,
  isSharedArrayBuffer,
  isStringObject,
  isSymbolObject,
  isWeakMap,
  isWeakSet,
} from "unenv/node/util/types";

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
const tagged =
  (...tags: string[]) =>
  (value: unknown): boolean =>
    (typeof value === "object" || typeof value === "function") && tags.includes(tagOf(value));

/** Returns the class name of a typed array, and `undefined` for any other value. A hook cannot forge it. */
const kindOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
  ?.get as (this: unknown) => string | undefined;
const typed =
  (kind: string) =>
  (value: unknown): boolean =>
    kindOf.call(value) === kind;

export const isTypedArray = (value: unknown): boolean => kindOf.call(value) !== undefined;
export const isArrayBufferView = (value: unknown): boolean => ArrayBuffer.isView(value);
export const isUint8Array = /* @__PURE__ */ typed("Uint8Array");
export const isUint8ClampedArray = /* @__PURE__ */ typed("Uint8ClampedArray");
export const isUint16Array = /* @__PURE__ */ typed("Uint16Array");
export const isUint32Array = /* @__PURE__ */ typed("Uint32Array");
export const isInt8Array = /* @__PURE__ */ typed("Int8Array");
export const isInt16Array = /* @__PURE__ */ typed("Int16Array");
export const isInt32Array = /* @__PURE__ */ typed("Int32Array");
export const isFloat16Array = /* @__PURE__ */ typed("Float16Array");
export const isFloat32Array = /* @__PURE__ */ typed("Float32Array");
export const isFloat64Array = /* @__PURE__ */ typed("Float64Array");
export const isBigInt64Array = /* @__PURE__ */ typed("BigInt64Array");
export const isBigUint64Array = /* @__PURE__ */ typed("BigUint64Array");
export const isAnyArrayBuffer = /* @__PURE__ */ tagged("ArrayBuffer", "SharedArrayBuffer");
export const isNativeError = (value: unknown): boolean => Error.isError(value);
export const isArgumentsObject = /* @__PURE__ */ tagged("Arguments");
export const isAsyncFunction = /* @__PURE__ */ tagged("AsyncFunction", "AsyncGeneratorFunction");
export const isGeneratorFunction = /* @__PURE__ */ tagged("GeneratorFunction", "AsyncGeneratorFunction");
export const isGeneratorObject = /* @__PURE__ */ tagged("Generator", "AsyncGenerator");
export const isMapIterator = /* @__PURE__ */ tagged("Map Iterator");
export const isSetIterator = /* @__PURE__ */ tagged("Set Iterator");
export const isModuleNamespaceObject = /* @__PURE__ */ tagged("Module");
export const isBoxedPrimitive = /* @__PURE__ */ tagged("Number", "String", "Boolean", "Symbol", "BigInt");

const never = (): boolean => false;
/** JavaScript cannot tell a proxy from its target. No value that a hook receives is a proxy. */
export const isProxy = never;
export const isKeyObject = never;
export const isCryptoKey = never;

export default {
  ...base,
  isTypedArray,
  isArrayBufferView,
  isUint8Array,
  isUint8ClampedArray,
  isUint16Array,
  isUint32Array,
  isInt8Array,
  isInt16Array,
  isInt32Array,
  isFloat16Array,
  isFloat32Array,
  isFloat64Array,
  isBigInt64Array,
  isBigUint64Array,
  isAnyArrayBuffer,
  isNativeError,
  isArgumentsObject,
  isAsyncFunction,
  isGeneratorFunction,
  isGeneratorObject,
  isMapIterator,
  isSetIterator,
  isModuleNamespaceObject,
  isBoxedPrimitive,
  isProxy,
  isKeyObject,
  isCryptoKey,
};
