import { setMaxListeners } from "node:events";
import { Response } from "make-fetch-happen";

/** The largest documents of npm's registry have 20 MB: of packages with some thousands of versions. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

const all = new AbortController();

/**
 * Aborted when a registry answers with more than {@link MAX_DOCUMENT_BYTES}, for all requests that have this signal. Its reason
 * says so.
 */
export const overrun: AbortSignal = all.signal;
// Each request listens.
setMaxListeners(0, overrun);

/** Counts what an answer brings, unpacked, and does not let more through than the limit. */
function limit(body: Response["body"]): void {
  if (!body) return;
  const emit = body.emit.bind(body);
  let bytes = 0;
  body.emit = (event, ...values) => {
    if (event !== "data") return emit(event, ...values);
    bytes += (values[0] as Buffer).length;
    if (bytes <= MAX_DOCUMENT_BYTES) return emit(event, ...values);
    if (!overrun.aborted)
      all.abort(new Error(`an answer of the registry is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB`));
    return false;
  };
}

// npm's libraries read whatever is no tarball with these: whole, without a limit, and with a copy on the disk.
for (const name of ["buffer", "json", "text"] as const) {
  const read = Response.prototype[name];
  Response.prototype[name] = function (this: Response) {
    limit(this.body);
    return read.call(this);
  };
}
