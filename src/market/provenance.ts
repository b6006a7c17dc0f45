import { join } from "node:path";
import registryFetch from "npm-registry-fetch";
import pacote, { type Manifest } from "pacote";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { CordonError, messageOf } from "../errors.ts";
import { cleanLine } from "../text.ts";
import type { NpmOptions } from "./dependencies.ts";

/** What vouches for a package: nothing, its registry's signature, or a statement from what and where it was built. */
export type Provenance = "none" | "signed" | "attested";

const Keys = Compile(
  Type.Object({
    keys: Type.Array(Type.Object({ keyid: Type.String(), key: Type.String(), expires: Type.Optional(Type.Unknown()) })),
  }),
);

/**
 * Verifies what a registry says of a package, with its own keys, and with Sigstore's where a build is attested. Rejects
 * with `INTEGRITY_MISMATCH` for a signature or statement that is wrong: one that is not there is no fault.
 *
 * @param state where Sigstore's roots are kept: each is signed by the one before
 */
export async function provenanceOf(manifest: Manifest, options: NpmOptions, state: string): Promise<Provenance> {
  const { name, version, dist } = manifest;
  if (!dist?.signatures?.length) return "none";
  const spec = `${name}@${version}`;
  const registry = new URL(registryFetch.pickRegistry(name, options));
  const keys = await keysOf(name, options);
  if (!keys) return "none";
  const verifying = {
    ...options,
    verifySignatures: true,
    [`//${registry.host}${registry.pathname}:_keys`]: keys,
    tufCache: join(state, "tuf"),
  };
  if (!(await verified(spec, verifying))) return "none";
  if (!dist.attestations) return "signed";
  return (await verified(spec, { ...verifying, verifyAttestations: true })) ? "attested" : "signed";
}

/** True if it could be verified; false where what is needed for that could not be reached. */
async function verified(spec: string, options: NpmOptions): Promise<boolean> {
  try {
    await pacote.manifest(spec, options);
    return true;
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (/SIGNATURE|ATTESTATION/.test(code) && !/TUF|FETCH/.test(messageOf(error)))
      throw new CordonError(
        "INTEGRITY_MISMATCH",
        `${spec} is not what it is said to be: ${cleanLine(messageOf(error), 300)}`,
      );
    return false;
  }
}

async function keysOf(name: string, options: NpmOptions): Promise<{ keyid: string; pemkey: string }[] | undefined> {
  try {
    const found = await registryFetch.json("/-/npm/v1/keys", {
      ...options,
      registry: registryFetch.pickRegistry(name, options),
    });
    if (!Keys.Check(found)) return undefined;
    return found.keys.map(({ key, ...rest }) => ({
      ...rest,
      pemkey: `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----`,
    }));
  } catch {
    return undefined;
  }
}
