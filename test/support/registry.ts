import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { Header } from "tar";
import { PROVENANCE, type Subject } from "./attestations.ts";
import type { Key } from "./sigstore.ts";

type Files = Record<string, string>;

/** A version that an author publishes. */
interface Publication {
  name: string;
  version: string;
  /** Files besides the `package.json`. */
  files?: Files;
  dependencies?: Record<string, string>;
  /** Further keys of the `package.json`. */
  json?: Record<string, unknown>;
  publisher?: string;
  /** The tarball, if it was packed already. */
  tarball?: Buffer;
  /** The tag that points at this version from now on. */
  tag?: string;
  at?: Date;
  /** Replaces the hashed and signed tarball in the answers. */
  tamper?: (packed: Buffer) => Buffer;
  /** The registry signs it. Default true. */
  signed?: boolean;
  /** Called when its tarball was requested. */
  onceFetched?: () => void;
  /** The answer for its attestations: a document, a literal text, or nothing. The package's document claims that there are some. */
  attest?: (subject: Subject) => Promise<unknown>;
}

interface Version {
  manifest: Record<string, unknown>;
  packed: Buffer;
  at: string;
  attestations: Promise<unknown> | undefined;
  onceFetched: (() => void) | undefined;
}

interface Package {
  versions: Map<string, Version>;
  tags: Record<string, string>;
}

/** A package as npm packs it: all files under `package/`, with npm's dates. */
export function packed(files: Files): Buffer {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    const mtime = new Date("1985-10-26T08:15:00Z");
    new Header({ path: `package/${path}`, type: "File", mode: 0o644, size: content.length, mtime }).encode(header, 0);
    return [header, content, Buffer.alloc(-content.length & 511)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** The fields of npm's short form of a package's document. */
const SHORT = [
  "name",
  "version",
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "bin",
  "os",
  "cpu",
  "dist",
];

/** A registry on 127.0.0.1 that answers like npm's, including caching headers. */
export class Registry {
  /** The requests, oldest first. */
  readonly requests: { path: string; authorization?: string }[] = [];
  /** The paths of documents that never end. */
  readonly endless = new Set<string>();
  /** How much of them was sent. */
  endlessBytes = 0;
  readonly #packages = new Map<string, Package>();
  /** The listed keys; the registry signs with the last one. */
  #keys = [generateKeyPairSync("ec", { namedCurve: "P-256" })];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<Registry> {
    const registry = new Registry();
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Its own Sigstore, with which it vouches for each version. */
  get key(): Key {
    const last = this.#keys.at(-1);
    if (!last) throw new Error("it has no key");
    return { keyid: this.keys.at(-1)?.keyid ?? "", sign: (data) => sign("sha256", data, last.privateKey) };
  }

  /** The keys in npm's form at `/-/npm/v1/keys`. */
  get keys(): { keyid: string; keytype: string; scheme: string; key: string; expires: string | null }[] {
    return this.#keys.map(({ publicKey }) => {
      const der = publicKey.export({ type: "spki", format: "der" });
      const keyid = `SHA256:${createHash("sha256").update(der).digest("base64")}`;
      const kind = "ecdsa-sha2-nistp256";
      return { keyid, keytype: kind, scheme: kind, key: der.toString("base64"), expires: null };
    });
  }

  /** Lists one more key, and signs with it from now on. */
  addKey(): void {
    this.#keys.push(generateKeyPairSync("ec", { namedCurve: "P-256" }));
  }

  /** Publishes the same version again: npm forbids it, and a compromised registry does it. */
  publish({
    name,
    version,
    files = {},
    dependencies,
    json = {},
    publisher = "ada",
    tamper,
    attest,
    onceFetched,
    tarball: given,
    ...rest
  }: Publication): void {
    const { tag = "latest", at = new Date("2026-01-01T00:00:00Z"), signed = true } = rest;
    const described = { name, version, ...(dependencies ? { dependencies } : {}), ...json };
    // Like npm at publication: a binding.gyp counts as an install script.
    const { scripts = {} } = described as { scripts?: object };
    const native = { gypfile: true, scripts: { install: "node-gyp rebuild", ...scripts } };
    const manifest = { ...described, ...("binding.gyp" in files ? native : {}) };
    const tarball = given ?? packed({ "package.json": JSON.stringify(described), ...files });
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const signature = this.key.sign(Buffer.from(`${name}@${version}:${integrity}`));
    const url = `${this.url}-/npm/v1/attestations/${name.replace("/", "%2f")}@${version}`;
    const dist = {
      tarball: this.tarballUrl(name, version),
      integrity,
      shasum: createHash("sha1").update(tarball).digest("hex"),
      ...(signed ? { signatures: [{ keyid: this.key.keyid, sig: signature.toString("base64") }] } : {}),
      ...(attest ? { attestations: { url, provenance: { predicateType: PROVENANCE } } } : {}),
    };
    const known = this.#packages.get(name) ?? { versions: new Map<string, Version>(), tags: {} };
    this.#packages.set(name, known);
    known.tags[tag] = version;
    known.tags.latest ??= version;
    known.versions.set(version, {
      manifest: { ...manifest, _id: `${name}@${version}`, _npmUser: { name: publisher }, dist },
      packed: tamper ? tamper(tarball) : tarball,
      at: at.toISOString(),
      attestations: attest?.({ name, version, integrity }),
      onceFetched,
    });
  }

  /** Removes one version, or the whole package; `latest` falls back to the previous version. */
  unpublish(name: string, version?: string): void {
    const known = this.#packages.get(name);
    if (version !== undefined) known?.versions.delete(version);
    const last = [...(known?.versions.keys() ?? [])].at(-1);
    if (version === undefined || !known || last === undefined) this.#packages.delete(name);
    else
      for (const [tag, tagged] of Object.entries(known.tags)) {
        if (tagged !== version) continue;
        if (tag === "latest") known.tags.latest = last;
        else delete known.tags[tag];
      }
  }

  tarballUrl(name: string, version: string): string {
    return `${this.url}${name}/-/${name.replace(/^.*\//, "")}-${version}.tgz`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Takes what `npm publish` sends. Whoever has a token may. */
  async #accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.headers.authorization) return void response.writeHead(401).end("{}");
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const {
      name,
      versions,
      _attachments: attached,
    } = JSON.parse(Buffer.concat(parts).toString()) as {
      name: string;
      versions: Record<string, Record<string, unknown>>;
      _attachments: Record<string, { data: string }>;
    };
    const [[version, json] = []] = Object.entries(versions);
    const [{ data } = {}] = Object.values(attached);
    if (version === undefined || data === undefined) return void response.writeHead(400).end("{}");
    this.publish({ name, version, json, tarball: Buffer.from(data, "base64") });
    response.writeHead(201, { "content-type": "application/json" }).end('{"ok":true}');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url = "/", headers } = request;
    if (request.method === "PUT") return void this.#accept(request, response);
    const { pathname, searchParams } = new URL(url, this.url);
    const path = decodeURIComponent(pathname).slice(1);
    this.requests.push({ path, ...(headers.authorization ? { authorization: headers.authorization } : {}) });
    const missing = () => response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Not found"}');
    const json = (value: unknown, type = "application/json"): void => {
      const body = typeof value === "string" ? value : JSON.stringify(value);
      const etag = `"${createHash("md5").update(body).digest("hex")}"`;
      const about = {
        "content-type": type,
        etag,
        "cache-control": "public, max-age=300",
        vary: "accept-encoding, accept",
      };
      if (headers["if-none-match"] === etag) response.writeHead(304, about).end();
      else response.writeHead(200, about).end(body);
    };
    const [, name, file] = /^(.+)\/-\/[^/]*?-(\d.*)\.tgz$/.exec(path) ?? [];
    const fetched = name === undefined ? undefined : this.#packages.get(name)?.versions.get(file ?? "");
    const [, attested = "", number = ""] = /^-\/npm\/v1\/attestations\/(.+)@(.+)$/.exec(path) ?? [];
    const attestations = this.#packages.get(attested)?.versions.get(number)?.attestations;
    const short = headers.accept?.includes("install-v1") === true;
    const known = this.#packages.get(path);
    if (this.endless.has(path)) this.#flood(response, known || attested || path.startsWith("-/") ? 200 : 404);
    else if (fetched) {
      fetched.onceFetched?.();
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(fetched.packed);
    } else if (path === "-/npm/v1/keys") json({ keys: this.keys });
    else if (attestations) void attestations.then((answer) => (answer === undefined ? missing() : json(answer)));
    else if (path === "-/v1/search") json(this.#found(searchParams.get("text") ?? ""));
    else if (known) json(document(path, known, short), short ? "application/vnd.npm.install-v1+json" : undefined);
    else missing();
  }

  #flood(response: ServerResponse, status: number): void {
    response.writeHead(status, { "content-type": "application/json" }).write('{"name":"');
    const block = Buffer.alloc(1024 * 1024, "x");
    const more = (): void => {
      while (!response.destroyed) {
        this.endlessBytes += block.length;
        if (!response.write(block)) return void response.once("drain", more);
      }
    };
    more();
  }

  /** Searches like npm: for words, and with `keywords:a,b` for packages with one of these keywords. */
  #found(query: string): unknown {
    const terms = query.split(" ");
    const wanted = terms.flatMap((term) => (term.startsWith("keywords:") ? term.slice(9).split(",") : []));
    const text = terms.filter((term) => !term.startsWith("keywords:")).join(" ");
    const objects = [...this.#packages].flatMap(([name, { versions, tags }]) => {
      const { manifest, at } = versions.get(tags.latest ?? "") ?? {};
      const { version, description, keywords = [] } = manifest ?? {};
      const has = keywords as string[];
      const hit = [name, description, ...has].some((word) => String(word).includes(text));
      return hit && (wanted.length === 0 || wanted.some((one) => has.includes(one)))
        ? [{ package: { name, version, description, keywords, date: at } }]
        : [];
    });
    return { objects, total: objects.length, time: new Date().toISOString() };
  }
}

function document(name: string, { versions, tags }: Package, short: boolean): unknown {
  const each = <T>(make: (version: Version) => T) =>
    Object.fromEntries([...versions].map(([number, version]) => [number, make(version)]));
  const modified = [...versions.values()].at(-1)?.at;
  if (!short)
    return {
      _id: name,
      name,
      "dist-tags": tags,
      versions: each(({ manifest }) => manifest),
      time: { created: [...versions.values()][0]?.at, modified, ...each(({ at }) => at) },
    };
  const kept = ({ manifest }: Version) => {
    const { scripts } = manifest as { scripts?: Record<string, string> };
    const installs = ["preinstall", "install", "postinstall"].some((script) => scripts?.[script] !== undefined);
    const fields = SHORT.filter((field) => field in manifest).map((field) => [field, manifest[field]]);
    return { ...Object.fromEntries(fields), ...(installs ? { hasInstallScript: true } : {}) };
  };
  return { name, "dist-tags": tags, modified, versions: each(kept) };
}
