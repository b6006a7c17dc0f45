import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleToJSON, type SerializedBundle, type TransparencyLogEntry } from "@sigstore/bundle";
import { initializeCA, initializeCTLog, initializeTLog } from "@sigstore/mock";
import { TransparencyLogEntry as Entry } from "@sigstore/protobuf-specs";
import { DSSEBundleBuilder, type Signer, type Witness } from "@sigstore/sign";
import { DEFAULT_MIRROR_URL } from "@sigstore/tuf";
import { initializeTUFRepo } from "@tufjs/repo-mock";
import { FROM } from "./attestations.ts";

const keyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
type KeyPair = ReturnType<typeof keyPair>;

/** The parts of a Sigstore: the issuer of certificates, the log of certificates, and the log of signatures. */
interface Keys {
  authority: KeyPair;
  certificateLog: KeyPair;
  log: KeyPair;
}

/** A key of a registry or an author, which needs no certificate. */
export interface Key {
  keyid: string;
  sign: (data: Buffer) => Buffer;
}

const ISSUER = "https://token.actions.githubusercontent.com";
const LOG_URL = "http://127.0.0.1/log";

/** A test's own Sigstore, which signs like the public one. It needs no network. */
export class Sigstore {
  readonly keys: Keys;

  /** The given keys are shared with another Sigstore. */
  constructor(keys: Partial<Keys> = {}) {
    this.keys = { authority: keyPair(), certificateLog: keyPair(), log: keyPair(), ...keys };
  }

  /** Makes this the Sigstore that a machine trusts, for a year: writes the files that a visit to the public mirror would. */
  async trustIn(folder: string): Promise<void> {
    const { rootCertificate } = await initializeCA(this.keys.authority);
    const log = ({ publicKey }: KeyPair, baseUrl: string) => ({
      baseUrl,
      hashAlgorithm: "SHA2_256",
      publicKey: { rawBytes: der(publicKey).toString("base64"), keyDetails: "PKIX_ECDSA_P256_SHA_256" },
      logId: { keyId: sha256(der(publicKey)).toString("base64") },
    });
    const roots = JSON.stringify({
      mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
      tlogs: [log(this.keys.log, LOG_URL)],
      certificateAuthorities: [{ certChain: { certificates: [{ rawBytes: base64(rootCertificate) }] } }],
      ctlogs: [log(this.keys.certificateLog, LOG_URL)],
    });
    const { host, pathname } = new URL(DEFAULT_MIRROR_URL);
    const place = join(folder, encodeURIComponent(host + pathname.replace(/\/$/, "")));
    const made = initializeTUFRepo([{ name: "trusted_root.json", content: roots }]);
    const { rootMeta: root, timestampMeta: timestamp, snapshotMeta: snapshot, targetsMeta: targets } = made;
    mkdirSync(join(place, "targets"), { recursive: true });
    writeFileSync(join(place, "targets", "trusted_root.json"), roots);
    for (const [name, metadata] of Object.entries({ root, timestamp, snapshot, targets }))
      writeFileSync(join(place, `${name}.json`), JSON.stringify(metadata));
  }

  /**
   * Signs a statement and logs the signature.
   *
   * @param key replaces the key with a certificate for a build
   * @param certified the time when the certificate was issued, which is valid for ten minutes
   * @param certificate replaces the certificate for the signing key
   * @param workflow the workflow that the certificate names, and `repository` the one whose sources it built
   */
  async attest(
    statement: object,
    { key, ...how }: { key?: Key; certified?: Date; certificate?: string; workflow?: string; repository?: string } = {},
  ): Promise<SerializedBundle> {
    const signer = key ? withKey(key) : this.#withCertificate(how);
    const builder = new DSSEBundleBuilder({ signer, witnesses: [this.#witness()] });
    const data = Buffer.from(JSON.stringify(statement));
    return bundleToJSON(await builder.create({ data, type: "application/vnd.in-toto+json" }));
  }

  #withCertificate({
    certified = new Date(),
    certificate,
    workflow = FROM.workflow,
    repository = FROM.repository,
  }: {
    certified?: Date;
    certificate?: string;
    workflow?: string;
    repository?: string;
  }): Signer {
    return {
      sign: async (data) => {
        const { publicKey, privateKey } = keyPair();
        const shown = certificate ?? base64(await this.#certificate(publicKey, certified, workflow, repository));
        const pem = `-----BEGIN CERTIFICATE-----\n${shown}\n-----END CERTIFICATE-----\n`;
        return { signature: sign("sha256", data, privateKey), key: { $case: "x509Certificate", certificate: pem } };
      },
    };
  }

  async #certificate(
    key: KeyPair["publicKey"],
    at: Date,
    workflow: string,
    repository: string,
  ): Promise<ArrayBufferView> {
    const authority = await initializeCA(this.keys.authority, await initializeCTLog(this.keys.certificateLog, at), at);
    const names = { 8: ISSUER, 12: repository, 18: workflow };
    return authority.issueCertificate({
      publicKey: Buffer.from(der(key)),
      subjectAltName: workflow,
      extensions: Object.entries(names).map(([last, value]) => ({ oid: `1.3.6.1.4.1.57264.1.${last}`, value })),
    });
  }

  #witness(): Witness {
    return {
      testify: async (content, verifier) => {
        if (content.$case !== "dsseEnvelope") throw new Error("not a statement");
        const { payload, signatures } = content.dsseEnvelope;
        const log = await initializeTLog(LOG_URL, this.keys.log);
        const kindVersion = { kind: "dsse", version: "0.0.1" };
        const logged = await log.log({
          kind: kindVersion.kind,
          apiVersion: kindVersion.version,
          spec: {
            payloadHash: { algorithm: "sha256", value: sha256(payload).toString("hex") },
            signatures: signatures.map(({ sig }) => ({
              signature: base64(sig),
              verifier: base64(Buffer.from(verifier)),
            })),
          },
        });
        const [{ body, logID, verification, ...entry }] = Object.values(logged) as [LoggedEntry];
        const { inclusionProof: proof, signedEntryTimestamp } = verification;
        const made = Entry.fromJSON({
          ...entry,
          kindVersion,
          canonicalizedBody: body,
          logId: { keyId: hexAsBase64(logID) },
          inclusionPromise: { signedEntryTimestamp },
          inclusionProof: {
            ...proof,
            rootHash: hexAsBase64(proof.rootHash),
            checkpoint: { envelope: proof.checkpoint },
          },
        });
        return { tlogEntries: [made as TransparencyLogEntry] };
      },
    };
  }
}

/** In the form of Rekor's answers. */
interface LoggedEntry {
  body: string;
  logID: string;
  logIndex: number;
  integratedTime: number;
  verification: {
    signedEntryTimestamp: string;
    inclusionProof: { logIndex: number; treeSize: number; rootHash: string; hashes: string[]; checkpoint: string };
  };
}

const withKey = (key: Key): Signer => ({
  sign: async (data) => ({
    signature: key.sign(data),
    key: { $case: "publicKey", publicKey: key.keyid, hint: key.keyid },
  }),
});

const der = (key: KeyPair["publicKey"]): Buffer => key.export({ type: "spki", format: "der" });
const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();
const base64 = (data: ArrayBufferView): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
const hexAsBase64 = (hex: string): string => Buffer.from(hex, "hex").toString("base64");
