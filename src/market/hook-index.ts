import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { join } from "node:path";
import registryFetch from "npm-registry-fetch";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { CordonError, messageOf } from "../base/errors.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { withLock } from "../disk/lock-file.ts";
import { checker, closed } from "../grants/schema.ts";

const MAX_INDEX_BYTES = 5 * 1024 * 1024;

/** A hook that an index offers. */
const IndexEntry = Type.Object(
  {
    /** What `cordon add` takes. */
    spec: Type.String({ minLength: 1, maxLength: 500 }),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    publisher: Type.Optional(Type.String({ maxLength: 200 })),
    /** Names of the powers it asks for. */
    powers: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 })),
    /** Of the package, where the index vouches for its bytes. */
    integrity: Type.Optional(Type.String({ pattern: "^sha512-[A-Za-z0-9+/=]+$" })),
  },
  closed,
);
export type IndexEntry = Static<typeof IndexEntry>;

/** What an author of an index writes, and what is signed. */
const HookIndex = Type.Object(
  {
    version: Type.Literal(1),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    hooks: Type.Record(Type.String({ pattern: "^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$" }), IndexEntry, closed),
  },
  closed,
);
export type HookIndex = Static<typeof HookIndex>;
export const checkIndex = checker<HookIndex>(HookIndex, "LOAD_FAILED");

/** The file that users read: the index as text, since a signature is over bytes. */
const SignedIndex = Compile(
  Type.Object({ index: Type.String(), signature: Type.String(), key: Type.String() }, closed),
);

/** Keys by where their index is: a key that was seen first is the key from then on. */
const Pins = checker<{ version: 1; indexes: Record<string, string> }>(
  Type.Object({ version: Type.Literal(1), indexes: Type.Record(Type.String(), Type.String()) }, closed),
  "BAD_GRANT",
);

/** The text of a signed index. `key`: an ed25519 private key. */
export function signIndex(index: HookIndex, key: KeyObject): string {
  const text = JSON.stringify(index);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  const signature = sign(null, Buffer.from(text), key).toString("base64");
  return `${JSON.stringify({ index: text, signature, key: publicKey }, null, 2)}\n`;
}

const pinsPath = (home: string): string => join(home, "indexes.json");

/** The places of the indexes that were read before. */
export const knownIndexes = (home: string): string[] => Object.keys(readPins(home));

function readPins(home: string): Record<string, string> {
  const path = pinsPath(home);
  const text = readIfThere(path);
  if (text === undefined) return {};
  let pins: unknown;
  try {
    pins = JSON.parse(text);
  } catch (error) {
    throw new CordonError("BAD_GRANT", `${path}: not JSON (${messageOf(error)})`);
  }
  return Pins(pins, path).indexes;
}

/**
 * Reads an index from a file or a URL and verifies it. The key of one that is read for the first time is kept: whoever
 * changes the file later needs that key. One that cannot be reached is as it was when it was last read: what it vouches for
 * must not depend on who can keep it away. Rejects with `INTEGRITY_MISMATCH` or `LOAD_FAILED`.
 */
export async function readIndex(place: string, home: string, note: (text: string) => void): Promise<HookIndex> {
  const copy = join(home, "indexes", `${hash("sha256", place).slice(0, 16)}.json`);
  const found = await contentOf(place);
  const text = typeof found === "string" ? found : asLastRead(copy, found.unreachable, note);
  const index = verified(text, place, home);
  if (readIfThere(copy, MAX_INDEX_BYTES) !== text) writeAtomically(copy, text);
  return index;
}

function asLastRead(copy: string, unreachable: string, note: (text: string) => void): string {
  const text = readIfThere(copy, MAX_INDEX_BYTES);
  if (text === undefined) throw new CordonError("LOAD_FAILED", unreachable);
  note(`${unreachable}: it is taken as it was when it was last read`);
  return text;
}

async function contentOf(place: string): Promise<string | { unreachable: string }> {
  if (/^https?:/.test(place)) return download(place);
  try {
    return readIfThere(place, MAX_INDEX_BYTES) ?? { unreachable: `${place}: no such file` };
  } catch (error) {
    throw new CordonError("LOAD_FAILED", `${place} could not be read: ${messageOf(error)}`);
  }
}

function verified(text: string, place: string, home: string): HookIndex {
  let signed: unknown;
  try {
    signed = JSON.parse(text);
  } catch {
    throw new CordonError("LOAD_FAILED", `${place}: not JSON`);
  }
  if (!SignedIndex.Check(signed))
    throw new CordonError("LOAD_FAILED", `${place}: no signed index; one is made by: cordon index build`);
  const { index, signature, key } = signed;
  const pinned = readPins(home)[place];
  if (pinned !== undefined && pinned !== key)
    throw new CordonError("INTEGRITY_MISMATCH", `${place} is signed with another key than when it was first read`);
  if (!isSignedBy(key, index, signature))
    throw new CordonError("INTEGRITY_MISMATCH", `${place}: its signature is wrong`);
  const checked = checkIndex(JSON.parse(index), place);
  if (pinned === undefined) pin(home, place, key);
  return checked;
}

function isSignedBy(key: string, text: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, "base64"), type: "spki", format: "der" });
    return (
      publicKey.asymmetricKeyType === "ed25519" &&
      verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64"))
    );
  } catch {
    return false;
  }
}

function pin(home: string, place: string, key: string): void {
  withLock(pinsPath(home), (held) => {
    const indexes = { [place]: key, ...readPins(home) };
    writeAtomically(pinsPath(home), `${JSON.stringify({ version: 1, indexes }, null, 2)}\n`, 0o600, held);
  });
}

async function download(url: string): Promise<string | { unreachable: string }> {
  let bytes: Buffer;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(30_000), redirect: "error", credentials: "omit" });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    bytes = await bounded(response);
  } catch (error) {
    return { unreachable: `${url} could not be read: ${messageOf(error)}` };
  }
  if (bytes.length > MAX_INDEX_BYTES)
    throw new CordonError("LOAD_FAILED", `${url} could not be read: larger than ${MAX_INDEX_BYTES} bytes`);
  return bytes.toString("utf8");
}

/** The body, or as much of it as shows that it is too large. */
async function bounded(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > MAX_INDEX_BYTES) break;
  }
  return Buffer.concat(parts);
}

/** What the registry's own search finds, where it answers. */
export async function searchRegistry(word: string, options: Record<string, unknown>): Promise<Map<string, IndexEntry>> {
  const query = new URLSearchParams({ text: `${word} keywords:cordon-hook,pi-package`, size: "20" });
  const found = (await registryFetch.json(`/-/v1/search?${query}`, options)) as {
    objects?: { package?: { name?: unknown; description?: unknown; publisher?: { username?: unknown } } }[];
  };
  const entries = (found.objects ?? []).flatMap(({ package: one }): [string, IndexEntry][] => {
    if (typeof one?.name !== "string") return [];
    const { description, publisher } = one;
    return [
      [
        one.name,
        {
          spec: `npm:${one.name}`,
          ...(typeof description === "string" ? { description: description.slice(0, 500) } : {}),
          ...(typeof publisher?.username === "string" ? { publisher: publisher.username } : {}),
        },
      ],
    ];
  });
  return new Map(entries);
}
