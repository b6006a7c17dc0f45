import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Static } from "typebox";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json-text.ts";
import { compile, keyed } from "../base/schema.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
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
    signedAt: Type.Optional(
      Type.String({
        pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
        description: "When it was signed, in UTC. cordon index build writes it.",
      }),
    ),
    hooks: Type.Record(Type.String({ pattern: "^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$" }), IndexEntry, {
      ...closed,
      description: "Hooks by name.",
    }),
  },
  closed,
);
export type HookIndex = Static<typeof HookIndex>;
const checkForm = fileChecker<HookIndex>(HookIndex, "LOAD_FAILED");

/** Whose results `npm` names, beside those of indexes. */
export const REGISTRY = "npm";

/** Checks a list of hooks, as its author wrote it. `where`: its file, for the error. Throws `LOAD_FAILED`. */
export function checkIndex(value: unknown, where: string): HookIndex {
  const index = checkForm(value, where);
  if (cleanLine(index.name, 100).trim().toLowerCase() === REGISTRY)
    throw new CordonError(
      "LOAD_FAILED",
      `${where}: name: ${REGISTRY} is what npm's registry is called; choose another`,
    );
  return index;
}

/** The file that users read. The index in it is a text, since a signature covers bytes. */
const SignedIndex = compile(
  Type.Object({ index: Type.String(), signature: Type.String(), key: Type.String() }, closed),
);

/** The key of each index, by its address. The first key that is seen is trusted from then on. */
const Pins = checker<{ version: 1; indexes: Record<string, string> }>(
  Type.Object({ version: Type.Literal(1), indexes: keyed(Type.String()) }, closed),
  "BAD_GRANT",
);

/** The text of an index that is signed now. `key`: an ed25519 private key. */
export function signIndex(index: HookIndex, key: KeyObject): string {
  const text = JSON.stringify({ ...index, signedAt: new Date().toISOString() });
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  const signature = sign(null, Buffer.from(text), key).toString("base64");
  return `${JSON.stringify({ index: text, signature, key: publicKey }, null, 2)}\n`;
}

/** True for the text of a signed index, whoever signed it. */
export function isSignedIndex(text: string): boolean {
  return SignedIndex.Check(attemptOr(() => readJson(text) as unknown, undefined));
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
 * with it, and later. Rejects with `INTEGRITY_MISMATCH` or `LOAD_FAILED`.
 */
export async function readIndex(address: string, home: string): Promise<HookIndex> {
  const text = await contentOf(address);
  const index = verified(text, address, home);
  const copy = copyOf(address, home);
  const last = readIfThere(copy, MAX_INDEX_BYTES);
  if (last === text) return index;
  refuseOlder(
    index,
    attemptOr(() => lastRead(address, home), undefined),
    address,
  );
  writeAtomically(copy, text);
  return index;
}

/**
 * An index as it was when it was last read, verified again; undefined if it never was. Somebody who blocks the connection, or
 * changes what comes over it, must not decide what the index vouches for.
 */
export function lastRead(address: string, home: string): HookIndex | undefined {
  const text = readIfThere(copyOf(address, home), MAX_INDEX_BYTES);
  return text === undefined ? undefined : verified(text, address, home);
}

/** An older list, signed as it should be, may vouch for bytes that are known to be bad by now. */
function refuseOlder({ signedAt = "" }: HookIndex, last: HookIndex | undefined, address: string): void {
  if (last?.signedAt === undefined || signedAt >= last.signedAt) return;
  throw new CordonError(
    "INTEGRITY_MISMATCH",
    `${address} is older than when it was last read: it was signed ${signedAt || "at an unknown time"}, and the last one ${last.signedAt}; if who signs it told you so, run: ${command`cordon index forget ${address}`}`,
  );
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

async function contentOf(address: string): Promise<string> {
  try {
    const text = /^https?:/.test(address) ? await download(address) : readIfThere(address, MAX_INDEX_BYTES);
    if (text !== undefined) return text;
  } catch (error) {
    throw new CordonError("LOAD_FAILED", `${address} could not be read: ${messageOf(error)}`);
  }
  throw new CordonError("LOAD_FAILED", `${address}: no such file`);
}

function verified(text: string, address: string, home: string): HookIndex {
  let signed: unknown;
  try {
    signed = readJson(text);
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
  const checked = checkIndex(parseJson(index, address, "LOAD_FAILED"), address);
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

async function download(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000), redirect: "error", credentials: "omit" });
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > MAX_INDEX_BYTES) throw new Error(`larger than ${MAX_INDEX_BYTES} bytes`);
  }
  return Buffer.concat(parts).toString("utf8");
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
