import { hash, X509Certificate } from "node:crypto";
import { join } from "node:path";
import registryFetch from "npm-registry-fetch";
import pacote, { type Manifest } from "pacote";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { compile } from "../base/schema.ts";
import { cleanLine } from "../base/text.ts";
import Type from "../base/type.ts";
import type { NpmOptions } from "./registry.ts";

const Keys = compile(
  Type.Object({
    keys: Type.Array(Type.Object({ keyid: Type.String(), key: Type.String(), expires: Type.Optional(Type.Unknown()) })),
  }),
);

const MAX_BUILDER = 300;

const Certificate = Type.Object({ rawBytes: Type.String() });

/** The statement of a build service, verified by pacote. It is signed with a certificate; a registry's own has a key. */
const Statement = compile(
  Type.Object({
    bundle: Type.Object({
      dsseEnvelope: Type.Object({ payload: Type.String() }),
      verificationMaterial: Type.Object({
        certificate: Type.Optional(Certificate),
        x509CertificateChain: Type.Optional(Type.Object({ certificates: Type.Array(Certificate) })),
      }),
    }),
  }),
);

/** What vouches for a package: nothing, the signature of its registry, or a statement of the service that built it. */
export interface Vouched {
  provenance: "none" | "signed" | "attested";
  /** The repository that it was built from, where that is attested. */
  builder?: string;
  /** All keys of its registry, each as `sha256-` and its hash. */
  keys?: string[];
  /** The keys that signed it. */
  signedBy?: string[];
}

/** More keys than any registry has. Without a limit, a registry could fill the lock. */
const MAX_KEYS = 50;

/**
 * Verifies what a registry says about a package: with the registry's keys, and with Sigstore's if a build is attested.
 * Rejects with `INTEGRITY_MISMATCH` for a wrong signature or statement. A missing one is no fault.
 *
 * @param integrity of what was fetched. A registry is asked more than once, and may give a different answer each time.
 * @param state folder that keeps Sigstore's roots: each is signed by the one before
 */
export async function provenanceOf(
  manifest: Manifest,
  integrity: string,
  options: NpmOptions,
  state: string,
): Promise<Vouched> {
  const { name, version, dist } = manifest;
  if (!dist?.signatures?.length) return { provenance: "none" };
  const spec = `${name}@${version}`;
  const registry = new URL(registryFetch.pickRegistry(name, options));
  const keys = await keysOf(name, options);
  if (!keys) return { provenance: "none" };
  const verifying = {
    ...options,
    integrity,
    verifySignatures: true,
    [`//${registry.host}${registry.pathname}:_keys`]: keys,
    tufCache: join(state, "tuf"),
  };
  const signed = await verified(spec, verifying);
  if (!signed) return { provenance: "none" };
  const listed = keys.slice(0, MAX_KEYS).map(({ fingerprint }) => fingerprint);
  const signedBy = (signed._signatures ?? []).flatMap(({ keyid }) => {
    const key = keys.find((one) => one.keyid === keyid);
    return key ? [key.fingerprint] : [];
  });
  const vouched = { provenance: "signed", keys: [...new Set(listed)].sort(), signedBy } as const;
  if (!dist.attestations || !(await hasRoots(verifying.tufCache))) return vouched;
  const attested = await verified(spec, { ...verifying, verifyAttestations: true });
  const builder = attested?._attestationBundles?.map(builderIn).find((one) => one !== undefined);
  return builder === undefined ? vouched : { ...vouched, provenance: "attested", builder };
}

/** `undefined` if the registry does not answer, or lacks what is needed. */
async function verified(spec: string, options: NpmOptions): Promise<Manifest | undefined> {
  try {
    return await pacote.manifest(spec, options);
  } catch (error) {
    const { code = "", type } = error as { code?: string; type?: string };
    // pacote throws these for a document without the parts that it reads.
    const unreadable = error instanceof TypeError || error instanceof SyntaxError || type === "invalid-json";
    if (!unreadable && !/SIGNATURE|ATTESTATION|INTEGRITY/.test(code)) return undefined;
    const why = unreadable ? "what its registry says of it cannot be read" : cleanLine(messageOf(error), 300);
    throw new CordonError("INTEGRITY_MISMATCH", `${spec} is not what it is said to be: ${why}`);
  }
}

/** False if Sigstore's roots cannot be fetched. Checked first: pacote's errors tell this from a forgery only by their text. */
async function hasRoots(cachePath: string): Promise<boolean> {
  const { default: tuf } = await import("@sigstore/tuf");
  try {
    await tuf.getTrustedRoot({ cachePath, forceCache: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * The repository of an attested build, from the certificate, which the build service fills in: the statement itself is
 * written by the workflow. `undefined` for a statement about something else.
 */
function builderIn(statement: unknown): string | undefined {
  if (!Statement.Check(statement)) return undefined;
  const { dsseEnvelope, verificationMaterial } = statement.bundle;
  const { certificate, x509CertificateChain } = verificationMaterial;
  const raw = (certificate ?? x509CertificateChain?.certificates[0])?.rawBytes;
  const { predicateType } = readJson(Buffer.from(dsseEnvelope.payload, "base64").toString());
  if (raw === undefined || !String(predicateType).startsWith("https://slsa.dev/provenance/")) return undefined;
  const { subjectAltName = "", raw: certified } = new X509Certificate(Buffer.from(raw, "base64"));
  const [, workflow] = /^URI:(https:\/\/[^\s",]+)$/.exec(subjectAltName) ?? [];
  if (workflow === undefined) return undefined;
  // A workflow may be another repository's, which anybody may use.
  const [source] = /^https:\/\/[^\s",]+$/.exec(sourceIn(certified) ?? "") ?? [];
  if (source !== undefined) return cleanLine(source, MAX_BUILDER);
  // `https://github.com/owner/name/.github/workflows/publish.yml@refs/...`, and GitLab's with `//` before the file.
  return cleanLine(workflow.replace(/@.*$|\/\.github\/.*$|(?<!:)\/\/.*$/, ""), MAX_BUILDER);
}

/** The name of the part of a certificate in which Sigstore has the repository that was built: 1.3.6.1.4.1.57264.1.12 */
const SOURCE_REPOSITORY = Buffer.from("2b0601040183bf30010c", "hex");

/** The elements in a part of DER, each with its tag. */
function elementsOf(der: Buffer): { tag: number; body: Buffer }[] {
  const found: { tag: number; body: Buffer }[] = [];
  for (let at = 0; at + 1 < der.length; ) {
    const [tag = 0, first = 0] = der.subarray(at, at + 2);
    const more = first < 0x80 ? 0 : first & 0x7f;
    if (more > 4 || at + 2 + more > der.length) return found;
    const from = at + 2 + more;
    const length = more === 0 ? first : der.readUIntBE(at + 2, more);
    found.push({ tag, body: der.subarray(from, from + length) });
    at = from + length;
  }
  return found;
}

const EXTENSIONS = 0xa3;
const UTF8 = 0x0c;

/** The repository whose sources were built, by a certificate in DER. */
function sourceIn(certificate: Buffer): string | undefined {
  const inside = (der: Buffer | undefined): { tag: number; body: Buffer }[] => (der ? elementsOf(der) : []);
  const [signed] = inside(elementsOf(certificate)[0]?.body);
  const listed = inside(signed?.body).find(({ tag }) => tag === EXTENSIONS);
  const parts = inside(inside(listed?.body)[0]?.body).map(({ body }) => elementsOf(body));
  const value = parts.find(([name]) => name?.body.equals(SOURCE_REPOSITORY))?.at(-1);
  const [text] = inside(value?.body);
  return text?.tag === UTF8 ? text.body.toString("utf8") : undefined;
}

interface RegistryKey {
  keyid: string;
  pemkey: string;
  fingerprint: string;
}

async function keysOf(name: string, options: NpmOptions): Promise<RegistryKey[] | undefined> {
  try {
    const found = await registryFetch.json("/-/npm/v1/keys", {
      ...options,
      registry: registryFetch.pickRegistry(name, options),
    });
    if (!Keys.Check(found)) return undefined;
    return found.keys.map(({ key, ...rest }) => ({
      ...rest,
      // Hash of the key itself: the registry chooses the key's id.
      fingerprint: `sha256-${hash("sha256", Buffer.from(key, "base64"), "base64")}`,
      pemkey: `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----`,
    }));
  } catch {
    return undefined;
  }
}
