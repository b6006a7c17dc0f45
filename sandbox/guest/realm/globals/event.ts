import { Event, EventTarget } from "event-target-shim";

/** `CustomEvent` of the DOM standard. */
export class CustomEvent extends Event {
  readonly detail: unknown;

  constructor(type: string, init: { detail?: unknown; bubbles?: boolean; cancelable?: boolean } = {}) {
    super(type, init);
    this.detail = init.detail ?? null;
  }
}

export { Event, EventTarget };
