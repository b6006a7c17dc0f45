/// <reference path="../../src/market/npm.d.ts" />
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import definitions from "@npmcli/config/lib/definitions/index.js";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { peek } from "../../src/market/fetch.ts";
import { searchRegistry } from "../../src/market/hook-index.ts";
import { npmOptions } from "../../src/market/npm-config.ts";
import { sourceOf } from "../../src/market/source.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const USER = "http://user.example/";
const EVIL = "http://evil.example/";
/** npm's own default. */
const PUBLIC = definitions.definitions.registry?.default as string;

let folder: string;
let project: string;
let notes: string[];
beforeEach(() => {
  folder = temporaryFolder();
  // A repository, and its folder in which the command is run.
  project = join(folder, "repository", "part");
  mkdirSync(project, { recursive: true });
  mkdirSync(join(folder, "repository", ".git"));
  mkdirSync(join(folder, "user"));
  notes = [];
  for (const name of Object.keys(process.env)) if (/^npm_/i.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", join(folder, "user"));
  for (const name of ["PREFIX", "DESTDIR"]) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

const options = () => npmOptions(project, (text) => notes.push(text));

const evil = (file: string): string => {
  writeFiles(folder, { [file]: `registry=${EVIL}\n@team:registry=${EVIL}\nstrict-ssl=false\nproxy=${EVIL}\n` });
  return join(folder, file);
};

const saying = (file: string, env: Record<string, string> = {}): Record<string, string> => {
  evil(file);
  return env;
};

/** Settings that a project can put into its files, or npx into the environment for it. */
const WAYS: [name: string, make: () => Record<string, string>][] = [
  ["nothing", () => ({})],
  [".npmrc of the folder", () => saying("repository/part/.npmrc")],
  [".npmrc of the repository", () => saying("repository/.npmrc")],
  [
    "a folder in between that is a package",
    () => {
      writeFiles(project, { "package.json": "{}" });
      return saying("repository/part/.npmrc");
    },
  ],
  ...["npm_config_registry", "NPM_CONFIG_REGISTRY", "Npm_Config_Registry", "npm_config_@team:registry"].map(
    (name): (typeof WAYS)[number] => [name, () => ({ [name]: EVIL })],
  ),
  ...["npm_config_userconfig", "npm_config_globalconfig", "Npm_Config_Userconfig", "npm_config_USERCONFIG"].map(
    (name): (typeof WAYS)[number] => [name, () => ({ [name]: evil("elsewhere/npmrc") })],
  ),
  ["npm_config_prefix", () => saying("elsewhere/etc/npmrc", { npm_config_prefix: join(folder, "elsewhere") })],
  [
    "npm_config_global",
    () => saying("repository/part/.npmrc", { npm_config_global: "false", npm_config_location: "project" }),
  ],
  ["npm_config_strict_ssl", () => ({ npm_config_strict_ssl: "false", NPM_CONFIG_STRICT_SSL: "false" })],
  [
    "npm_config_proxy",
    () => ({ npm_config_proxy: EVIL, npm_config_https_proxy: EVIL, NPM_CONFIG_CAFILE: "/etc/hosts" }),
  ],
  ...["NPM_CONFIG_USERCONFIG", "NPM_CONFIG_GLOBALCONFIG"].flatMap((name): typeof WAYS => [
    [`${name} in the folder`, () => ({ [name]: evil("repository/part/npmrc") })],
    [`${name} in the repository`, () => ({ [name]: evil("repository/other/npmrc") })],
    [`${name} as a relative path`, () => saying("repository/part/npmrc", { [name]: "./npmrc" })],
    [
      `${name} as a link into the repository`,
      () => {
        symlinkSync(evil("repository/npmrc"), join(folder, "user", "linked"));
        return { [name]: join(folder, "user", "linked") };
      },
    ],
    [
      `${name} through a link to the repository`,
      () => {
        evil("repository/npmrc");
        symlinkSync(join(folder, "repository"), join(folder, "user", "linked"));
        return { [name]: join(folder, "user", "linked", "npmrc") };
      },
    ],
    [
      `${name} through the repository`,
      () => ({ [name]: `${project}/../../repository/${evil("repository/npmrc") && "npmrc"}` }),
    ],
  ]),
  ["PREFIX in the repository", () => saying("repository/etc/npmrc", { PREFIX: join(folder, "repository") })],
  [
    "DESTDIR in the repository",
    () => saying(`repository/${process.execPath}/../../etc/npmrc`, { DESTDIR: join(folder, "repository") }),
  ],
];

test.each(WAYS)("a project cannot decide from where and how packages are fetched: %s", async (_name, make) => {
  writeFiles(folder, { "user/.npmrc": `@team:registry=${USER}\n` });
  for (const [name, value] of Object.entries(make())) vi.stubEnv(name, value);
  const before = { ...process.env };
  const found = await options();
  const named = Object.keys(before).some((name) => name === "NPM_CONFIG_USERCONFIG");
  expect(found).toMatchObject({ registry: PUBLIC, "@team:registry": USER, strictSSL: true });
  expect(Object.keys(found).filter((name) => /proxy|^ca$/i.test(name))).toEqual([]);
  expect(JSON.stringify(found)).not.toContain("evil");
  expect(process.env).toEqual(before);
  if (named) expect(notes).toEqual([expect.stringMatching(/^NPM_CONFIG_USERCONFIG names .*: it is not read$/)]);
});

test("upper-case NPM_CONFIG_USERCONFIG and NPM_CONFIG_GLOBALCONFIG outside of the project are the person's own", async () => {
  writeFiles(folder, {
    "etc/user": `registry=${USER}\n`,
    "etc/global": `registry=${EVIL}\n@machine:registry=http://machine.example/\n`,
    "user/.npmrc": `registry=${EVIL}\n`,
  });
  vi.stubEnv("NPM_CONFIG_USERCONFIG", join(folder, "etc", "user"));
  vi.stubEnv("NPM_CONFIG_GLOBALCONFIG", join(folder, "etc", "global"));
  expect(await options()).toMatchObject({ registry: USER, "@machine:registry": "http://machine.example/" });
  expect(notes).toEqual([]);
});

test("a home does not count as a project, even if a command is run in it", async () => {
  project = join(folder, "user");
  writeFiles(project, { "config/npmrc": `registry=${USER}\n` });
  vi.stubEnv("NPM_CONFIG_USERCONFIG", join(project, "config", "npmrc"));
  expect(await options()).toMatchObject({ registry: USER });
});

test("only settings that the fetcher reads are used", async () => {
  const certificates = [1, 2].map((at) => `-----BEGIN CERTIFICATE-----\nAAA${at}\n-----END CERTIFICATE-----`);
  writeFiles(folder, {
    "user/ca.pem": `${certificates.join("\n")}\n`,
    "user/.npmrc": [
      `registry=${USER}`,
      "@team:registry=https://team.example/npm/",
      "//team.example/npm/:_authToken=${TOKEN}",
      "//user.example/:certfile=/a/cert.pem",
      "//user.example/:keyfile=/a/key.pem",
      `cafile=${join(folder, "user", "ca.pem")}`,
      "strict-ssl=false",
      "proxy=http://proxy.example:1/",
      "https-proxy=http://proxy.example:2/",
      "noproxy=a.example,b.example",
      "fetch-timeout=1234",
      "fetch-retries=7",
      "git=./evil.sh",
      "script-shell=./evil.sh",
      "ignore-scripts=false",
      "node-options=--require ./evil.js",
      "cache=/evil",
      "prefix=/evil",
      "tag=evil",
    ].join("\n"),
  });
  vi.stubEnv("TOKEN", "secret");
  const { git, ...found } = await options();
  expect(git).toMatch(/^\/.*git$/);
  expect(found).toMatchObject({
    registry: USER,
    "@team:registry": "https://team.example/npm/",
    "//team.example/npm/:_authToken": "secret",
    "//user.example/:certfile": "/a/cert.pem",
    "//user.example/:keyfile": "/a/key.pem",
    ca: certificates,
    strictSSL: false,
    proxy: "http://proxy.example:1/",
    httpsProxy: "http://proxy.example:2/",
    noProxy: "a.example,b.example",
    timeout: 1234,
    retry: expect.objectContaining({ retries: 7 }),
  });
  expect(JSON.stringify(found)).not.toContain("evil");
});

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

test("cafile and strict-ssl decide whom the fetcher trusts", async () => {
  const file = (name: string): string => join(folder, "user", name);
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
      ...[
        "-subj",
        "/CN=127.0.0.1",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        file("key"),
        "-out",
        file("cert"),
      ],
    ],
    { stdio: "ignore" },
  );
  const server = createSecureServer(
    { key: readFileSync(file("key")), cert: readFileSync(file("cert")) },
    (_request, response) => response.end("{}"),
  );
  const registry = `https://127.0.0.1:${await listening(server)}/`;
  const asked = async (...lines: string[]) => {
    writeFiles(folder, { "user/.npmrc": [`registry=${registry}`, "fetch-retries=0", ...lines].join("\n") });
    return searchRegistry("x", await options()).then(
      () => "answered",
      (error: { code: string }) => error.code,
    );
  };
  expect(await asked()).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(await asked(`cafile=${file("cert")}`)).toBe("answered");
  expect(await asked("strict-ssl=false")).toBe("answered");
});

test("the fetcher uses the person's proxy, except for their exceptions", async () => {
  const seen: string[] = [];
  const port = await listening(
    createServer((request, response) => {
      seen.push(request.url ?? "");
      response.end("{}");
    }),
  );
  const lines = ["registry=http://registry.invalid/", `proxy=http://127.0.0.1:${port}/`, "fetch-retries=0"];
  writeFiles(folder, { "user/.npmrc": lines.join("\n") });
  await searchRegistry("x", await options());
  expect(seen).toEqual([expect.stringMatching(/^http:\/\/registry\.invalid\/-\/v1\/search/)]);
  writeFiles(folder, { "user/.npmrc": [...lines, "noproxy=registry.invalid"].join("\n") });
  await expect(searchRegistry("x", await options())).rejects.toThrow();
  expect(seen).toHaveLength(1);
});

test.each([
  ["that names another registry is said to count for nothing", "http://127.0.0.1:9/other", true],
  ["that names the registry in use is left out", "http://127.0.0.1:9/", false],
])("where a package cannot be fetched, a variable %s", async (_name, named, isSaid) => {
  writeFiles(folder, { "user/.npmrc": "registry=http://127.0.0.1:9\nfetch-retries=0\n" });
  vi.stubEnv("npm_config_registry", named);
  const fetching = { npm: await options(), cache: join(folder, "cache"), state: join(folder, "state") };
  const error = await peek(sourceOf("npm:gate", project), fetching).catch((thrown: Error) => thrown);
  const said = "; npm_config_registry is ignored, since a project can set it: name your registry in ~/.npmrc";
  expect(error).toMatchObject({ code: "LOAD_FAILED" });
  expect((error as Error).message.endsWith(said)).toBe(isSaid);
});
