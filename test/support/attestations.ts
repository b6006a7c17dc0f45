import type { SerializedBundle } from "@sigstore/bundle";
import type { Key, Sigstore } from "./sigstore.ts";

/** The attested package. */
export interface Subject {
  name: string;
  version: string;
  /** As npm writes it: `sha512-…`. */
  integrity: string;
}

/** The repository, the commit and the workflow of the builds. */
export const FROM = {
  repository: "https://github.com/ada/gate",
  workflow: "https://github.com/ada/gate/.github/workflows/publish.yml@refs/heads/main",
};

const PUBLISH = "https://github.com/npm/attestation/tree/main/specs/publish/v0.1";
export const PROVENANCE = "https://slsa.dev/provenance/v1";

/** A registry's statement that it published this. */
export const published = (subject: Subject): object =>
  statement(PUBLISH, subject, { name: subject.name, version: subject.version, registry: "http://127.0.0.1" });

/** A build service's statement of the sources and the workflow of this build. */
export const built = (subject: Subject): object =>
  statement(PROVENANCE, subject, {
    buildDefinition: {
      buildType: "https://slsa-framework.github.io/github-actions-buildtypes/workflow/v1",
      externalParameters: { workflow: { repository: FROM.repository, path: FROM.workflow } },
    },
    runDetails: { builder: { id: "https://github.com/actions/runner/github-hosted" } },
  });

function statement(predicateType: string, { name, version, integrity }: Subject, predicate: object): object {
  const sha512 = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: `pkg:npm/${name.replace("@", "%40")}@${version}`, digest: { sha512 } }],
    predicateType,
    predicate,
  };
}

/** A registry's answer with signed statements. */
export function handedOut(...bundles: SerializedBundle[]): { attestations: object[] } {
  const typeOf = ({ dsseEnvelope }: SerializedBundle): string =>
    JSON.parse(Buffer.from(dsseEnvelope?.payload ?? "", "base64").toString()).predicateType;
  return { attestations: bundles.map((bundle) => ({ predicateType: typeOf(bundle), bundle })) };
}

/** That of a workflow, which most builds are of. */
const repositoryOf = (workflow: string): string => workflow.replace(/(\/\.github\/|(?<!:)\/\/|@).*$/, "");

/** npm's answer for a package that a build service published. */
export const attestationsOf = async (
  subject: Subject,
  sigstore: Sigstore,
  registry: Key,
  { workflow = FROM.workflow, repository = repositoryOf(workflow) }: { workflow?: string; repository?: string } = {},
): Promise<object> =>
  handedOut(
    await sigstore.attest(published(subject), { key: registry }),
    await sigstore.attest(built(subject), { workflow, repository }),
  );
