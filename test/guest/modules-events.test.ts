import { besideNode, type Question } from "./beside-node.ts";

const QUESTIONS: Question[] = [
  {
    name: "old code calls the function for an object of its own",
    ask: `(() => { function Old(this: any) { EventEmitter.call(this as any); } util.inherits(Old as any, EventEmitter as any); const old = new (Old as any)(); const heard = log(old, "on", "once"); for (const one of [1, 2]) old.emit("told", one); return [heard, old instanceof EventEmitter, old.constructor === Old]; })()`,
  },
  {
    name: "an object that gets the methods is an emitter",
    ask: `(() => { const mixed: any = Object.assign({}, EventEmitter.prototype); EventEmitter.call(mixed); const heard = log(mixed, "on"); mixed.emit("told", 1); return heard; })()`,
  },
  {
    name: "listeners stay if the function is called a second time",
    ask: `(() => { const one: any = new EventEmitter(); const heard = log(one, "on"); EventEmitter.call(one); one.emit("told", 1); return heard; })()`,
  },
  {
    name: "a class may replace on by what calls addListener, and the other way",
    ask: `(() => { class Mine extends EventEmitter { on(type: any, act: any) { return super.addListener(type, act); } addListener(type: any, act: any) { return super.on(type, act); } off(type: any, act: any) { return super.removeListener(type, act); } removeListener(type: any, act: any) { return super.off(type, act); } } const mine = new Mine(); const heard = log(mine, "on", "addListener"); const gone = () => heard.push("gone"); mine.on("told", gone); mine.off("told", gone); mine.emit("told", 1); return [heard, EventEmitter.prototype.on === EventEmitter.prototype.addListener, EventEmitter.prototype.off === EventEmitter.prototype.removeListener]; })()`,
  },
  {
    name: "listeners are called in their order, and once",
    ask: `(() => { const one: any = new EventEmitter(); const heard = log(one, "on", "prependListener", "once", "prependOnceListener"); const emits = [1, 2].map((n) => one.emit("told", n)); return [heard, emits, one.emit("other"), one.listenerCount("told"), one.eventNames(), one.rawListeners("told").length]; })()`,
  },
  {
    name: "an error that nobody hears is thrown",
    ask: `(() => { const one = new EventEmitter(); return [caught(() => one.emit("error", new RangeError("x"))), one.on("error", () => {}).emit("error", new Error("heard"))]; })()`,
  },
  {
    name: "newListener and removeListener are told",
    ask: `(() => { const one = new EventEmitter(); const heard: any[] = []; one.on("newListener", (name) => heard.push(["new", name])); one.on("removeListener", (name) => heard.push(["removed", name])); const act = () => {}; one.on("a", act).once("b", act).off("a", act).emit("b"); one.removeAllListeners("c"); return heard; })()`,
  },
  {
    name: "it is the same function, however it is imported",
    ask: `[EventEmitter === Named, EventEmitter.EventEmitter === EventEmitter, every.default === EventEmitter, EventEmitter.name, new EventEmitter().constructor === EventEmitter, process instanceof EventEmitter, new Readable() instanceof EventEmitter, typeof EventEmitter.once, EventEmitter.defaultMaxListeners]`,
  },
  {
    name: "functions of the module",
    ask: `await (async () => { const one: any = new EventEmitter(); setTimeout(() => one.emit("told", 1, 2), 1); const told = await once(one, "told"); every.setMaxListeners(3, one); one.on("told", () => {}); return [told, one.getMaxListeners(), every.listenerCount(one, "told"), every.getEventListeners(one, "told").length]; })()`,
  },
  {
    name: "events are iterated",
    ask: `await (async () => { const one = new EventEmitter(); setTimeout(() => { for (const n of [1, 2, 3]) one.emit("told", n); }, 1); const heard: any[] = []; for await (const [n] of every.on(one, "told")) { heard.push(n); if (n === 3) break; } return heard; })()`,
  },
];

besideNode("node:events in a hook and in Node", {
  top: `import EventEmitter, { EventEmitter as Named, once } from "node:events"; import * as every from "node:events";
    import { Readable } from "node:stream"; import util from "node:util";
    /** Adds a listener in each of these ways, and returns what they hear. */
    const log = (to: any, ...ways: string[]): any[] => { const heard: any[] = []; for (const way of ways) to[way]("told", (n: any) => heard.push([way, n])); return heard; };`,
  questions: QUESTIONS,
});
