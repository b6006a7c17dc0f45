import { delimiter, join, resolve } from "node:path";
import picomatch from "picomatch";
import type { Static } from "typebox";
import { CordonError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json-text.ts";
import { compile } from "../base/schema.ts";
import Type from "../base/type.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { execLimit } from "../powers/exec-grant.ts";
import { ignoresCase, isPlainSource, judgedSource } from "./judged-source.ts";
import {
  type Asks,
  type Capabilities,
  CapabilitiesShape,
  closed,
  fileChecker,
  powersOf,
  version,
  withoutSchema,
} from "./schema.ts";
import { faultsIn } from "./schema-fault.ts";

const patterns = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 1000, description });

export const PolicyShape = Type.Object(
  {
    version,
    sources: Type.Optional(
      patterns(
        "Globs for the origins of installed hooks, without version, tag and commit: npm:@acme/*. Default: any origin.",
      ),
    ),
    publishers: Type.Optional(patterns("Globs for the publishers of installed hooks. Default: any publisher.")),
    provenance: Type.Optional(
      Type.Enum(["signed", "attested"], { description: "The least provenance of a package from a registry." }),
    ),
    maximum: Type.Optional({
      ...Type.Object({ ...CapabilitiesShape.properties, exec: Type.Optional(execLimit) }, closed),
      description:
        "No hook has more than this, whatever anybody grants. No hook has a power that is left out. Trusted hooks, which have no sandbox, are refused.",
    }),
    required: Type.Optional(patterns("Ids of hooks that must be active: without them every tool call is blocked.")),
  },
  closed,
);

/** What an organisation decided. It is above what the user and the project decide. */
export type Policy = Static<typeof PolicyShape>;

const check = fileChecker<Policy>(PolicyShape, "BAD_GRANT");

/** The policy file of the administrator. */
const systemPath = (env: NodeJS.ProcessEnv): string =>
  process.platform === "win32"
    ? join(env.ProgramData ?? "C:\\ProgramData", "cordon", "policy.json")
    : "/etc/cordon/policy.json";

const named = ({ CORDON_POLICY = "" }: NodeJS.ProcessEnv, cwd = "."): string[] =>
  CORDON_POLICY.split(delimiter)
    .filter(Boolean)
    .map((path) => resolve(cwd, path));

/**
 * The policy file of the administrator, and those in `CORDON_POLICY`: each can only take away. `session`: of one whose variables
 * are not this process's, as in a daemon; its paths start at its folder.
 */
export const policyPaths = (
  env: NodeJS.ProcessEnv = process.env,
  session?: { env: NodeJS.ProcessEnv; cwd: string },
): string[] => {
  const others = session && session.env !== env ? named(session.env, session.cwd) : [];
  const own = named(env);
  return [systemPath(env), ...own, ...others.filter((path) => !own.includes(path))];
};

/** A policy, and the path of its file. */
export interface PolicyInForce {
  path: string;
  policy: Policy;
}

/**
 * All policies with their files. Throws `BAD_GRANT` for a damaged one and one that cannot be read, since half a policy protects
 * nobody, and for one that is not there, unless it is the administrator's: somebody named it.
 */
export function policiesInForce(paths = policyPaths()): PolicyInForce[] {
  return paths.flatMap((path) => {
    const text = textOf(path);
    if (text === undefined && path !== systemPath(process.env))
      throw new CordonError("BAD_GRANT", `${path}: there is no such policy; mend CORDON_POLICY`);
    return text === undefined ? [] : [{ path, policy: check(parseJson(text, path, "BAD_GRANT"), path) }];
  });
}

function textOf(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    throw new CordonError("BAD_GRANT", `${path} cannot be read: ${messageOf(error).replace(`${path}: `, "")}`);
  }
}

export const readPolicies = (paths = policyPaths()): Policy[] => policiesInForce(paths).map(({ policy }) => policy);

const shape = compile(PolicyShape);

/** The policy in a text, or everything that is wrong with it. */
export function policyIn(text: string, path: string): Policy | { faults: string[] } {
  try {
    const value = withoutSchema(parseJson(text, path, "BAD_GRANT"));
    return shape.Check(value) ? value : { faults: faultsIn(PolicyShape, value, () => shape.Errors(value)) };
  } catch (error) {
    return { faults: [messageOf(error).replace(`${path}: `, "")] };
  }
}

/** What vouches for a package, from the weakest to the strongest. */
export const PROVENANCE = ["none", "signed", "attested"];

/** Why the policies do not allow a package, if they do not. */
export function policyFault(
  policies: readonly Policy[],
  { source, publisher, provenance }: { source: string; publisher?: string | undefined; provenance: string },
): string | undefined {
  for (const { sources, publishers, provenance: least } of policies) {
    if (sources && !fitsSource(sources, source))
      return `your organisation's policy does not allow hooks from ${judgedSource(source)}`;
    if (publishers && (publisher === undefined || !fits(publishers, publisher)))
      return `your organisation's policy does not allow hooks of ${publisher ?? "an unknown publisher"}`;
    if (least && PROVENANCE.indexOf(provenance) < PROVENANCE.indexOf(least))
      return `your organisation's policy requires hooks that are ${least}, and this one is ${provenance === "none" ? "not" : provenance}`;
  }
  return undefined;
}

export const fits = (globs: readonly string[], text: string, nocase = false): boolean =>
  globs.some((glob) => picomatch(glob, { dot: true, bash: true, nocase })(text));

/** In the URL of a tarball: a query, and what some servers read as another path. */
const READ_BY_SERVER = /^https?:.*(?:[?;]|%2e|%2f|%5c|[^:]\/\/)/i;

/** Whether one of the globs fits the source of a lock, however that is spelled. None fits one that can be read in two ways. */
export function fitsSource(globs: readonly string[], source: string): boolean {
  if (!isPlainSource(source) || READ_BY_SERVER.test(source)) return false;
  const judged = judgedSource(source);
  return fits(globs, judged, ignoresCase(judged));
}

/** Why the policies do not allow a hook without a sandbox, if so: no maximum would hold for it. */
export const trustedFault = (policies: readonly Policy[]): string | undefined =>
  policies.some(({ maximum }) => maximum)
    ? "your organisation's policy limits what hooks may do, and a trusted hook has no sandbox: name it as a usual hook"
    : undefined;

/** The file of the first policy that does not allow a hook, if one does not. `entry`: of an installed hook. */
export const hookForbiddenBy = (
  policies: readonly PolicyInForce[],
  { trusted, entry }: { trusted: boolean; entry: Parameters<typeof policyFault>[1] | undefined },
): string | undefined =>
  policies.find(
    ({ policy }) => (trusted ? trustedFault([policy]) : entry && policyFault([policy], entry)) !== undefined,
  )?.path;

/** The powers that all policies allow. Policies do not limit `events`, by which a hook hears and blocks. */
export function withinPolicies(policies: readonly Policy[], powers: Capabilities): Capabilities {
  const { events, ...others } = powers;
  const left = policies.reduce<Capabilities>(
    (sum, { maximum }) => (maximum ? (powersOf.meet(sum, maximum) ?? {}) : sum),
    others,
  );
  return { ...(events ? { events } : {}), ...left };
}

/** The file of the first policy that does not leave all of a grant, if one does not. A grant of `undefined`: that leaves nothing of the power. */
export function forbiddenBy(
  policies: readonly PolicyInForce[],
  capability: string,
  grant?: unknown,
): string | undefined {
  const powers = { [capability]: grant } as Asks;
  const forbids = (policy: Policy): boolean => {
    // Neither `events` nor `limits` are limited.
    if (!policy.maximum || capability === "events" || capability === "limits") return false;
    if (!Object.hasOwn(policy.maximum, capability)) return true;
    return grant !== undefined && Object.keys(takenBy([policy], powers)).length > 0;
  };
  return policies.find(({ policy }) => forbids(policy))?.path;
}

/** What policies take of powers. They do not limit a hook's limits. */
export const takenBy = (policies: readonly Policy[], { limits: _limits, ...powers }: Asks): Capabilities =>
  powersOf.minus(powers, withinPolicies(policies, powers)) ?? {};

export const requiredHooks = (policies: readonly Policy[]): string[] =>
  policies.flatMap(({ required = [] }) => required);
