import { CordonError, type ErrorCode, messageOf } from "../base/errors.ts";
import { RpcError } from "./connection.ts";

/** The answer to a request that is refused. */
export const refused = (code: string, message: string): RpcError => new RpcError(-32000, message, { code });

/** Refuses what failed: by its own code, or else by this one. */
export const refuseFor =
  (code: ErrorCode) =>
  (error: unknown): never => {
    throw refused(error instanceof CordonError ? error.code : code, messageOf(error));
  };
