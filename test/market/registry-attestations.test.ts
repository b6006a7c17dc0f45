import { generateKeyPairSync, sign } from "node:crypto";
import { join } from "node:path";
import type { SerializedBundle } from "@sigstore/bundle";
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  attestationsOf,
  built,
  FROM,
  handedOut,
  PROVENANCE,
  published,
  type Subject,
} from "../support/attestations.ts";
import { type Key, Sigstore } from "../support/sigstore.ts";
import { asks, GATE, NOTHING, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

/** The Sigstore that a machine trusts, and the published package. */
interface Scene {
  subject: Subject;
  sigstore: Sigstore;
  /** The registry's key. */
  key: Key;
}

let world: World;
let sigstore: Sigstore;

beforeEach(async () => {
  world = await World.make();
  sigstore = new Sigstore();
  await sigstore.trustIn(join(world.home, "cache", "tuf"));
});

const honest = ({ subject, key }: Scene): Promise<unknown> => attestationsOf(subject, sigstore, key);

/** @param attest `undefined` for a package that is signed and has no attestations */
const publish = (attest: ((scene: Scene) => Promise<unknown>) | undefined, version = "1.0.0", name = "gate"): void =>
  world.registry.publish({
    name,
    version,
    files: { "index.ts": GATE.replace("no rm", `no rm ${version}`) },
    json: asks({}),
    ...(attest ? { attest: (subject) => attest({ subject, sigstore, key: world.registry.key }) } : {}),
  });

const provenance = (id = "gate"): string | undefined => world.disk().lock[id]?.provenance;

test.each(["gate", "@ada/gate"])("%s: a package with an attested build is shown and locked as such", async (name) => {
  publish(honest, "1.0.0", name);
  expect(await world.install(name)).toMatch(
    /^provenance +attested: a build service vouches .*\n? *.*\nbuilt by +https:\/\/github\.com\/ada\/gate$/m,
  );
  expect(Object.values(world.disk().lock)).toMatchObject([{ provenance: "attested", builder: FROM.repository }]);
  const asked = world.registry.requests.filter(({ path }) => path.includes("attestations"));
  expect(asked.map(({ path }) => path)).toEqual([`-/npm/v1/attestations/${name}@1.0.0`]);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm 1.0.0"]);
});

/** A workflow that builds whatever repository uses it. */
const SHARED = "https://github.com/trusted/workflows/.github/workflows/publish.yml@refs/heads/main";

test("a package that another repository's workflow built is from where its sources are", async () => {
  publish(({ subject, key }) =>
    attestationsOf(subject, sigstore, key, { workflow: SHARED, repository: "https://github.com/eve/gate" }),
  );
  expect(await world.install("gate")).toMatch(/^built by +https:\/\/github\.com\/eve\/gate$/m);
  expect(world.disk().lock.gate).toMatchObject({ builder: "https://github.com/eve/gate" });
});

test("an update from another repository by the same workflow is not taken", async () => {
  publish(({ subject, key }) =>
    attestationsOf(subject, sigstore, key, { workflow: SHARED, repository: FROM.repository }),
  );
  await world.install("gate");
  publish(
    ({ subject, key }) =>
      attestationsOf(subject, sigstore, key, { workflow: SHARED, repository: "https://github.com/eve/gate" }),
    "1.1.0",
  );
  const { code, stdout } = await world.run(["update"]);
  expect([code, stdout]).toEqual([1, expect.stringContaining("is now built by https://github.com/eve/gate")]);
  expect(world.disk().lock.gate).toMatchObject({ version: "1.0.0" });
});

/** An attacker's own key, under the given name. */
function keyOf({ keyid }: Pick<Key, "keyid">): Key {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { keyid, sign: (data) => sign("sha256", data, privateKey) };
}

const AN_HOUR = 3_600_000;
const otherBytes = `sha512-${Buffer.alloc(64).toString("base64")}`;

/** A bundle: a signed statement, and the material to verify it. */
interface Parts {
  envelope: NonNullable<SerializedBundle["dsseEnvelope"]>;
  material: SerializedBundle["verificationMaterial"];
}

function altered(bundle: SerializedBundle, change: (parts: Parts) => void): SerializedBundle {
  const copy = structuredClone(bundle);
  change({ envelope: copy.dsseEnvelope as Parts["envelope"], material: copy.verificationMaterial });
  return copy;
}

/** Changes one byte in the middle of a base64 text. */
function flipped(text: string): string {
  const bytes = Buffer.from(text, "base64");
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes.toString("base64");
}

const flipSignature = ({ envelope }: Parts): void => {
  for (const signature of envelope.signatures) signature.sig = flipped(signature.sig);
};

interface Row {
  name: string;
  /** The two statements that npm serves, one of which is replaced. */
  publish?: (scene: Scene) => Promise<SerializedBundle>;
  build?: (scene: Scene) => Promise<SerializedBundle>;
  says: RegExp;
}

const ROWS: Row[] = [
  {
    name: "a build of another package",
    build: ({ subject }) => sigstore.attest(built({ ...subject, name: "gaet" })),
    says: /pkg:npm\/gate@1\.0\.0 doesn't match what was signed: pkg:npm\/gaet@1\.0\.0/,
  },
  {
    name: "a build of another package, with the name of an error of Sigstore's",
    build: ({ subject }) => sigstore.attest(built({ ...subject, name: "TUF_FETCH_ERROR" })),
    says: /doesn't match what was signed: pkg:npm\/TUF_FETCH_ERROR@1\.0\.0/,
  },
  {
    name: "a build of another version",
    build: ({ subject }) => sigstore.attest(built({ ...subject, version: "1.0.1" })),
    says: /pkg:npm\/gate@1\.0\.0 doesn't match what was signed: pkg:npm\/gate@1\.0\.1/,
  },
  {
    name: "a build of other bytes",
    build: ({ subject }) => sigstore.attest(built({ ...subject, integrity: otherBytes })),
    says: /package integrity .* doesn't match what was signed: 0{64}/,
  },
  {
    name: "a build with a certificate of an untrusted issuer",
    build: ({ subject }) => {
      const { certificateLog, log } = sigstore.keys;
      return new Sigstore({ certificateLog, log }).attest(built(subject));
    },
    says: /Failed to verify certificate chain/,
  },
  {
    name: "a build with a certificate that is in no trusted log",
    build: ({ subject }) => {
      const { authority, log } = sigstore.keys;
      return new Sigstore({ authority, log }).attest(built(subject));
    },
    says: /SCT verification failed/,
  },
  {
    name: "a build that is in no trusted log",
    build: ({ subject }) => {
      const { authority, certificateLog } = sigstore.keys;
      return new Sigstore({ authority, certificateLog }).attest(built(subject));
    },
    says: /inclusion promise could not be verified/,
  },
  {
    name: "a build with a certificate that had expired",
    build: ({ subject }) => sigstore.attest(built(subject), { certified: new Date(Date.now() - AN_HOUR) }),
    says: /Failed to verify certificate chain/,
  },
  {
    name: "a build with a certificate that was copied",
    build: async ({ subject }) => {
      const { verificationMaterial } = await sigstore.attest(built(subject));
      return sigstore.attest(built(subject), { certificate: verificationMaterial.certificate?.rawBytes });
    },
    says: /signature verification failed/,
  },
  {
    name: "a build with a changed byte in its certificate",
    build: async ({ subject }) =>
      altered(await sigstore.attest(built(subject)), ({ material: { certificate } }) => {
        if (certificate) certificate.rawBytes = flipped(certificate.rawBytes);
      }),
    says: /failed to verify attestation/,
  },
  {
    name: "a build with a changed byte in its signature",
    build: async ({ subject }) => altered(await sigstore.attest(built(subject)), flipSignature),
    says: /tlog entry signature mismatch/,
  },
  {
    name: "a build whose statement was changed afterwards",
    build: async ({ subject }) =>
      altered(await sigstore.attest(built(subject)), ({ envelope }) => {
        const text = Buffer.from(envelope.payload, "base64").toString().replaceAll("/ada/", "/eve/");
        envelope.payload = Buffer.from(text).toString("base64");
      }),
    says: /payload hash mismatch/,
  },
  {
    name: "a build that is in no log",
    build: async ({ subject }) =>
      altered(await sigstore.attest(built(subject)), ({ material }) => {
        material.tlogEntries = [];
      }),
    says: /expected 1 timestamps, got 0/,
  },
  {
    name: "a build with the log entry of another build",
    build: async ({ subject }) => {
      const { verificationMaterial } = await sigstore.attest(built(subject));
      return altered(await sigstore.attest(built(subject)), ({ material }) => {
        material.tlogEntries = verificationMaterial.tlogEntries;
      });
    },
    says: /tlog entry signature mismatch/,
  },
  {
    name: "a build without the identity of its signer",
    build: async ({ subject }) => {
      const bundle = await sigstore.attest(built(subject));
      return { ...bundle, verificationMaterial: { ...bundle.verificationMaterial, certificate: undefined } } as never;
    },
    says: /invalid bundle/,
  },
  {
    name: "a publication of another package",
    publish: ({ subject, key }) => sigstore.attest(published({ ...subject, name: "gaet" }), { key }),
    says: /doesn't match what was signed: pkg:npm\/gaet@1\.0\.0/,
  },
  {
    name: "a publication of other bytes",
    publish: ({ subject, key }) => sigstore.attest(published({ ...subject, integrity: otherBytes }), { key }),
    says: /doesn't match what was signed: 0{64}/,
  },
  {
    name: "a publication signed with a key that is not the registry's",
    publish: ({ subject }) => sigstore.attest(published(subject), { key: keyOf({ keyid: "SHA256:eve" }) }),
    says: /no corresponding public key\(s\) can be found/,
  },
  {
    name: "a publication signed with another key under the name of the registry's",
    publish: ({ subject, key }) => sigstore.attest(published(subject), { key: keyOf(key) }),
    says: /signature verification failed/,
  },
  {
    name: "a publication with a changed byte in its signature",
    publish: async ({ subject, key }) => altered(await sigstore.attest(published(subject), { key }), flipSignature),
    says: /tlog entry signature mismatch/,
  },
  {
    name: "a publication that is in no log",
    publish: async ({ subject, key }) =>
      altered(await sigstore.attest(published(subject), { key }), ({ material }) => {
        material.tlogEntries = [];
      }),
    says: /cannot be read/,
  },
];

/** Answers of a registry that are not a list of statements. */
const GARBAGE: [string, unknown][] = [
  ["an empty answer", ""],
  ["a page", "<!doctype html><title>502</title>"],
  ["half a document", '{"attestations":[{"predicateType":'],
  ["null", null],
  ["no list", { attestations: { length: 2 } }],
  ["a list of null", { attestations: [null] }],
  ["a statement without an envelope", { attestations: [{ predicateType: PROVENANCE, bundle: {} }] }],
  [
    "a statement that is not JSON",
    { attestations: [{ bundle: { dsseEnvelope: { payload: "eA==", signatures: [{ keyid: "", sig: "eA==" }] } } }] },
  ],
];

describe("a package with a wrong attestation is refused, and nothing is installed", () => {
  const refused = async (says: RegExp): Promise<void> => {
    const { code, stdout, stderr } = await world.run(["add", "gate", "--grant", "none"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^cordon: gate@1\.0\.0 is not what it is said to be: .*\(INTEGRITY_MISMATCH\)\n$/);
    expect(stderr).toMatch(says);
    expect(world.disk()).toEqual(NOTHING);
  };

  test.each(ROWS)("$name", async ({ publish: publication, build, says }) => {
    publish(async (scene) => {
      const { subject, key } = scene;
      return handedOut(
        await (publication?.(scene) ?? sigstore.attest(published(subject), { key })),
        await (build?.(scene) ?? sigstore.attest(built(subject))),
      );
    });
    await refused(says);
  });

  test("other bytes than the attested ones for the first request", async () => {
    world.registry.publish({
      name: "gate",
      version: "1.0.0",
      files: { "index.ts": "export default () => {};" },
      json: asks({}),
      attest: async () => undefined,
      onceFetched: () => publish(honest),
    });
    await refused(/doesn't match what was signed/);
  });

  test.each(GARBAGE)("%s instead of statements", async (_name, answer) => {
    publish(async () => answer);
    await refused(/cannot be read/);
  });
});

describe("a package without a statement about its build counts only as signed", () => {
  const rows: [string, ((scene: Scene) => Promise<unknown>) | undefined][] = [
    ["nothing is attested", undefined],
    ["the statements are missing", async () => undefined],
    ["an empty list of statements", async () => handedOut()],
    [
      "only the registry's publication",
      async ({ subject, key }) => handedOut(await sigstore.attest(published(subject), { key })),
    ],
    [
      "a build that the registry itself states",
      async ({ subject, key }) => handedOut(await sigstore.attest(built(subject), { key })),
    ],
    ["a publication with a certificate", async ({ subject }) => handedOut(await sigstore.attest(published(subject)))],
  ];
  test.each(rows)("%s", async (_name, attest) => {
    publish(attest);
    expect(await world.install("gate")).toMatch(
      /^provenance +signed by the registry; nothing says from what it was built$/m,
    );
    expect(provenance()).toBe("signed");
  });
});

test("with unreachable roots of Sigstore a package counts only as signed", async () => {
  world.forgetAnswers();
  publish(honest);
  const env = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1" };
  const { code, stdout, stderr } = await world.run(["add", "gate", "--grant", "none"], { env });
  expect([code, stderr, stdout]).toEqual([0, "", expect.stringMatching(/^provenance +signed by the registry/m)]);
  expect(provenance()).toBe("signed");
});

describe("an update of an attested package", () => {
  const update = async (code: number): Promise<unknown> =>
    (await world.json<{ hooks: unknown[] }>(["update", "gate"], code)).hooks[0];

  beforeEach(async () => {
    publish(honest);
    await world.install("gate");
  });

  test.each([
    ["the same workflow", FROM.workflow],
    ["another workflow and branch of the repository", `${FROM.repository}/.github/workflows/other.yml@refs/tags/v2`],
  ])("to a version attested by %s passes", async (_name, workflow) => {
    publish(({ subject, key }) => attestationsOf(subject, sigstore, key, { workflow }), "1.1.0");
    expect(await update(0)).toMatchObject({ outcome: "updated" });
    expect(world.disk().lock.gate).toMatchObject({ version: "1.1.0", provenance: "attested" });
    expect((await world.verdicts("rm x")).said).toEqual(["no rm 1.1.0"]);
  });

  const less = /the installed version is attested, and this one is signed/;
  const rows: [string, ((scene: Scene) => Promise<unknown>) | undefined, RegExp][] = [
    ["a version that is only signed", undefined, less],
    ["a version that claims to be attested, without statements", async () => undefined, less],
    ["an empty list of statements", async () => handedOut(), less],
    [
      "the statements of the previous version",
      ({ subject, key }) => attestationsOf({ ...subject, version: "1.0.0" }, sigstore, key),
      /pkg:npm\/gate@1\.1\.0 doesn't match what was signed: pkg:npm\/gate@1\.0\.0/,
    ],
    [
      "a version that another repository built",
      ({ subject, key }) =>
        attestationsOf(subject, sigstore, key, { workflow: FROM.workflow.replace("/gate/", "/gate-fork/") }),
      /it was built by https:\/\/github\.com\/ada\/gate and is now built by https:\/\/github\.com\/ada\/gate-fork/,
    ],
    [
      "statements of an untrusted Sigstore",
      ({ subject, key }) => attestationsOf(subject, new Sigstore(), key),
      /failed to verify attestation/,
    ],
  ];
  test.each(rows)("to %s is stopped, and the old version keeps running", async (_name, attest, says) => {
    const before = world.disk();
    publish(attest, "1.1.0");
    expect(await update(1)).toEqual({
      id: "gate",
      outcome: "stopped",
      code: "INTEGRITY_MISMATCH",
      error: expect.stringMatching(says),
    });
    expect(world.disk()).toEqual(before);
    expect((await world.verdicts("rm x")).said).toEqual(["no rm 1.0.0"]);
  });
});
