/**
 * `node:events` for `readable-stream`. Its base class is a function that calls its parent's constructor without `new`,
 * which a class does not allow. This function makes the object an emitter of unenv all the same.
 */
import { EventEmitter } from "./streams-given.ts";

function Emitter(this: object, options?: object): void {
  Object.assign(this, new EventEmitter(options));
}
// A stream's `addListener` calls this `on`, which must not call it back.
Emitter.prototype = Object.create(EventEmitter.prototype, {
  on: { value: EventEmitter.prototype.addListener, writable: true },
});

export { Emitter as EventEmitter };
export default Emitter;
