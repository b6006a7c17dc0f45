/** `node:events` of unenv. Its class becomes a function, as Node's is: old code calls it for an object of its own. */
import { EventEmitter as Class } from "unenv/node/events";

export {
  addAbortListener,
  captureRejectionSymbol,
  captureRejections,
  defaultMaxListeners,
  EventEmitterAsyncResource,
  errorMonitor,
  getEventListeners,
  getMaxListeners,
  on,
  once,
  usingDomains,
} from "unenv/node/events";

function emitter(this: { _events?: object }, options?: object): void {
  if (Object.hasOwn(this, "_events") && this._events !== undefined) return;
  // The fields of the class.
  Object.assign(this, new Class(options));
}

function makeEmitter(): typeof Class {
  const { prototype } = Class;
  // The same functions: those who replace one of two do not expect the other to call it.
  Object.assign(prototype, { on: prototype.addListener, off: prototype.removeListener });
  // Objects get them by Object.assign.
  for (const name of Object.getOwnPropertyNames(prototype))
    Object.defineProperty(prototype, name, { enumerable: true });
  Object.defineProperty(prototype, "constructor", { value: emitter, enumerable: false });
  return Object.defineProperties(emitter, {
    ...Object.getOwnPropertyDescriptors(Class),
    length: { value: 1, configurable: true },
    name: { value: "EventEmitter", configurable: true },
    // That of a function stays writable.
    prototype: { value: prototype, writable: true },
    EventEmitter: { value: emitter, writable: true, enumerable: true, configurable: true },
  }) as unknown as typeof Class;
}

export const EventEmitter = /* @__PURE__ */ makeEmitter();

export const setMaxListeners = (count?: number, ...targets: object[]): void =>
  EventEmitter.setMaxListeners(count, ...targets);

export const listenerCount = (of: { listenerCount(type: string): number }, type: string): number =>
  of.listenerCount(type);

/** @alias EventEmitter */
export default EventEmitter;
