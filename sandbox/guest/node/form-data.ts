/** Clients of web services ask whether a body is a `FormData`: here none is. */
export class FormData {
  constructor() {
    throw new TypeError("FormData is not offered to hooks as a body: use text or bytes");
  }
}
