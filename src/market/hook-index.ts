import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Static } from "typebox";
import { attemptOr } from "../base/attempt.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json-text.ts";
import { compile, keyed } from "../base/schema.ts";
import { command } from "../base/shell-word.ts";
import Type from "../base/type.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { withLock } from "../disk/lock-file.ts";
import { checker, closed, fileChecker, version as formVersion } from "../grants/schema.ts";

const MAX_INDEX_BYTES = 5 * 1024 * 1024;

/** A hook that an index offers. */
const IndexEntry = Type.Object(
  {
    spec: Type.String({ minLength: 1, maxLength: 500, description: "What cordon add takes, such as npm:NAME." }),
    description: Type.Optional(Type.String({ maxLength: 500, description: "What it does, in one sentence." })),
    publisher: Type.Optional(Type.String({ maxLength: 200, description: "Who publishes it." })),
    powers: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20, description: "Names of the powers it asks for." }),
    ),
    integrity: Type.Optional(
      Type.String({
        pattern: "^sha512-[A-Za-z0-9+/=]+$",
        description: "Integrity of the package, if the index vouches for its bytes.",
      }),
    ),
  },
  { ...closed, description: "A hook that the index offers." },
);
export type IndexEntry = Static<typeof IndexEntry>;

/** An index as its author writes it, and as it is signed. */
export const HookIndex = Type.Object(
  {
    version: formVersion,
    name: Type.String({ minLength: 1, maxLength: 100, description: "The name of the index, as people see it." }),
    hooks: Type.Record(Type.String({ pattern: "^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$" }), IndexEntry, {
      ...closed,
      description: "Hooks by name.",
    }),
  },
  closed,
);
export type HookIndex = Static<typeof HookIndex>;
export const checkIndex = fileChecker<HookIndex>(HookIndex, "LOAD_FAILED");

/** The file that users read. The index in it is a text, since a signature covers bytes. */
const SignedIndex = compile(
  Type.Object({ index: Type.String(), signature: Type.String(), key: Type.String() }, closed),
);

/** The key of each index, by its address. The first key that is seen is trusted from then on. */
const Pins = checker<{ version: 1; indexes: Record<string, string> }>(
  Type.Object({ version: Type.Literal(1), indexes: keyed(Type.String()) }, closed),
  "BAD_GRANT",
);

/** The text of a signed index. `key`: an ed25519 private key. */
export function signIndex(index: HookIndex, key: KeyObject): string {
  const text = JSON.stringify(index);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  const signature = sign(null, Buffer.from(text), key).toString("base64");
  return `${JSON.stringify({ index: text, signature, key: publicKey }, null, 2)}\n`;
}

/** True for the text of a signed index, whoever signed it. */
export function isSignedIndex(text: string): boolean {
  return SignedIndex.Check(attemptOr(() => JSON.parse(text) as unknown, undefined));
}

const pinsPath = (home: string): string => inHome(home, "indexes.json");

/** The addresses of the indexes that were read before. */
export const knownIndexes = (home: string): string[] => Object.keys(readPins(home));

function readPins(home: string): Record<string, string> {
  const path = pinsPath(home);
  const text = readIfThere(path);
  return text === undefined ? {} : Pins(parseJson(text, path, "BAD_GRANT"), path).indexes;
}

/**
 * Reads an index from its address, a file or a URL, and verifies it. The first key is kept: later changes must be signed
 * with it. If the index cannot be reached, its last copy is used: somebody who blocks the connection must not decide what it
 * vouches for. Rejects with `INTEGRITY_MISMATCH` or `LOAD_FAILED`.
 */
export async function readIndex(address: string, home: string, note: (text: string) => void): Promise<HookIndex> {
  const copy = copyOf(address, home);
  const found = await contentOf(address);
  const text = typeof found === "string" ? found : asLastRead(copy, found.unreachable, note);
  const index = verified(text, address, home);
  if (readIfThere(copy, MAX_INDEX_BYTES) !== text) writeAtomically(copy, text);
  return index;
}

const copyOf = (address: string, home: string): string =>
  join(inHome(home, "indexes"), `${hash("sha256", address).slice(0, 16)}.json`);

/** Forgets an index: its key, and its last copy. */
export function forgetIndex(address: string, home: string): void {
  withLock(pinsPath(home), (held) => {
    const { [address]: _key, ...indexes } = readPins(home);
    writeAtomically(pinsPath(home), `${JSON.stringify({ version: 1, indexes }, null, 2)}\n`, 0o600, held);
  });
  rmSync(copyOf(address, home), { force: true });
}

function asLastRead(copy: string, unreachable: string, note: (text: string) => void): string {
  const text = readIfThere(copy, MAX_INDEX_BYTES);
  if (text === undefined) throw new CordonError("LOAD_FAILED", unreachable);
  note(`${unreachable}: using the copy that was read last`);
  return text;
}

async function contentOf(address: string): Promise<string | { unreachable: string }> {
  if (/^https?:/.test(address)) return download(address);
  try {
    return readIfThere(address, MAX_INDEX_BYTES) ?? { unreachable: `${address}: no such file` };
  } catch (error) {
    throw new CordonError("LOAD_FAILED", `${address} could not be read: ${messageOf(error)}`);
  }
}

function verified(text: string, address: string, home: string): HookIndex {
  let signed: unknown;
  try {
    signed = JSON.parse(text);
  } catch {
    throw new CordonError("LOAD_FAILED", `${address}: not JSON`);
  }
  if (!SignedIndex.Check(signed))
    throw new CordonError("LOAD_FAILED", `${address}: not a signed index; create one with: cordon index build`);
  const { index, signature, key } = signed;
  const pinned = readPins(home)[address];
  if (pinned !== undefined && pinned !== key)
    throw new CordonError(
      "INTEGRITY_MISMATCH",
      `${address} is signed with another key than when it was first read; if who signs it told you so, run: ${command`cordon index forget ${address}`}`,
    );
  if (!isSignedBy(key, index, signature))
    throw new CordonError("INTEGRITY_MISMATCH", `${address}: its signature is wrong`);
  const checked = checkIndex(JSON.parse(index), address);
  if (pinned === undefined) pin(home, address, key);
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

function pin(home: string, address: string, key: string): void {
  withLock(pinsPath(home), (held) => {
    const indexes = { [address]: key, ...readPins(home) };
    writeAtomically(pinsPath(home), `${JSON.stringify({ version: 1, indexes }, null, 2)}\n`, 0o600, held);
  });
}

async function download(url: string): Promise<string | { unreachable: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(30_000), redirect: "error", credentials: "omit" });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      parts.push(part);
      length += part.length;
      if (length > MAX_INDEX_BYTES)
        throw new CordonError("LOAD_FAILED", `${url} could not be read: larger than ${MAX_INDEX_BYTES} bytes`);
    }
    return Buffer.concat(parts).toString("utf8");
  } catch (error) {
    if (error instanceof CordonError) throw error;
    return { unreachable: `${url} could not be read: ${messageOf(error)}` };
  }
}

/** Searches the registry. Rejects if it does not answer. */
export async function searchRegistry(word: string, options: Record<string, unknown>): Promise<Map<string, IndexEntry>> {
  const query = new URLSearchParams({ text: `${word} keywords:cordon-hook,pi-package`, size: "20" });
  const { default: registryFetch } = await import("npm-registry-fetch");
  const found = (await registryFetch.json(`/-/v1/search?${query}`, options)) as {
    objects?: { package?: { name?: unknown; description?: unknown; publisher?: { username?: unknown } } }[];
  };
  const entries = new Map<string, IndexEntry>();
  for (const { package: one } of found.objects ?? []) {
    const { name, description, publisher } = one ?? {};
    if (typeof name !== "string") continue;
    entries.set(name, {
      spec: `npm:${name}`,
      ...(typeof description === "string" ? { description: description.slice(0, 500) } : {}),
      ...(typeof publisher?.username === "string" ? { publisher: publisher.username } : {}),
    });
  }
  return entries;
}
