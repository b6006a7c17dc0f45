import type * as brotli from "brotli-compress/js";
import type * as pako from "pako";
import type streams from "readable-stream/lib/stream.js";
import type * as webStreams from "web-streams-polyfill";
import type { AnswerOf } from "../../wire/answers.ts";
import type { CurveRequest, Derivation, DigestRequest } from "../../wire/derivation.ts";
import type { Library } from "../../wire/lazy-code.ts";
import type { Machine } from "../../wire/messages.ts";
import type { ArgumentsOf, BlockingName, OperationName } from "../../wire/operations.ts";
import type * as aes from "../libraries/aes.ts";
import type { asyncFrames } from "./async-frame.ts";

/** Global symbol of the host, for Cordon's replacements of Node's modules. Any code of the hook can use it, too. */
export const BRIDGE = Symbol.for("cordon.host");

interface Streams {
  readonly default: typeof streams;
}

/** What libraries export, as far as modules in a bundle use it. */
interface Libraries {
  readonly aes: typeof aes;
  readonly brotli: Pick<typeof brotli, "decompress">;
  readonly streams: Streams;
  readonly "streams-in-frames": Streams;
  readonly typebox: object;
  readonly "web-streams": typeof webStreams;
  readonly zlib: typeof pako;
}

/** The host, for modules in a bundle. */
export interface Bridge {
  readonly cwd: string;
  readonly machine: Machine;
  /** Blocks until the host answers. Throws its refusal or failure, with a `code`. */
  sync<Name extends BlockingName>(name: Name, args: ArgumentsOf<Name>): AnswerOf<Name>;
  /** Does the same without blocking. */
  call<Name extends OperationName>(name: Name, args: ArgumentsOf<Name>, signal?: object): Promise<AnswerOf<Name>>;
  /** Random bytes as hexadecimal text. */
  random(bytes: number): string;
  /** A key, a digest, or what came of an act on a curve, as hexadecimal text; empty if OpenSSL refuses. */
  derive(request: Derivation | CurveRequest | DigestRequest): string;
  /** The bytes of a text as UTF-8, in base64. Returns an empty text for one of over `MAX_PIECE` characters. */
  bytesOfText(text: string): string;
  /** The text of bytes in UTF-8, as Node reads them. Returns an empty text if their base64 is longer than `MAX_PIECE`. */
  textOfBytes(base64: string): string;
  /** What a library exports. It is evaluated when it is first asked for. `given`: what it shares with the bundle. */
  library<Name extends Library>(name: Name, given?: object): Libraries[Name];
  /** Says that a counted branch of the bundle ran. */
  reached(branch: number): void;
  /** Keeps a tool of an agent of the hook's own, for the host to run by this name; undefined takes it away. */
  agentTool(name: string, tool: object | undefined): void;
  /** An empty function of this kind, for bundles whose own are compiled to generators. */
  readonly asyncGenerator: object;
  readonly asyncFrames: typeof asyncFrames;
}
