/** core-js-pure ships no types; its functions go onto `globalThis` as they are. */
declare module "core-js-pure/actual/*" {
  const polyfill: unknown;
  export default polyfill;
}

/** What is used of event-target-shim: its own types are hidden by its `exports`. */
declare module "event-target-shim" {
  export class Event {
    constructor(type: string, init?: { bubbles?: boolean; cancelable?: boolean });
    readonly type: string;
  }
  export class EventTarget {
    addEventListener(type: string, listener: (event: Event) => void, options?: { once?: boolean }): void;
    removeEventListener(type: string, listener: (event: Event) => void): void;
    dispatchEvent(event: Event): boolean;
  }
}
declare module "*.txt" {
  const text: string;
  export default text;
}

declare module "unenv/node/os" {
  export const constants: object;
}

declare module "unenv/node/buffer" {
  export const Buffer: object;
}

declare module "unenv/node/util" {
  const util: object;
  export default util;
}
