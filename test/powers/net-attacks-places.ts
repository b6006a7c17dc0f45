import { failing, GRANTED, type NetAttack, saying } from "./net-attack.ts";

const gets = (url: string): string => `return text(${JSON.stringify(url)});`;

/** One spelling of a host: refused with a port without a grant, and its response with the granted port. */
const spelled = (host: string, more: Partial<NetAttack> = {}): NetAttack => ({
  name: `the address as ${JSON.stringify(host)}`,
  body: gets(`http://${host}:{V}/`),
  works: { body: gets(`http://${host}:{G}/`), answer: "ok" },
  ...more,
});

/** All of them are 127.0.0.1. */
export const spellings: NetAttack[] = [
  ...["127.0.0.1", "2130706433", "0x7f000001", "0X7F.1", "127.1", "127.0.1", "017700000001", "0177.0.0.01"].map(
    (host) => spelled(host),
  ),
  ...["127.0.0.1.", "127.0.0.%31", "\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "127.0.\t0.1"].map((host) =>
    spelled(host),
  ),
  ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:FFFF:127.0.0.1]"].map((host) => spelled(host)),
];

/** Other names and addresses of the same machine: the server would answer, and was not granted under them. */
const other = (host: string): NetAttack => ({
  name: `another name of the machine: ${host}`,
  body: gets(`http://${host}:{G}/`),
  works: { body: gets("http://127.0.0.1:{G}/"), answer: "ok" },
});

export const otherSelves: NetAttack[] = [
  ...["0.0.0.0", "0", "127.0.0.2", "127.255.255.254", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]"].map(other),
  ...["[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[::ffff:127.0.0.2]"].map(other),
  ...["localhost", "localhost.", "LOCALHOST", "sub.localhost", "127.0.0.1.nip.io", "127.0.0.1.localhost"].map(other),
];

const NAMED = { connect: ["localhost:{G}"] };

/** A name is granted: other names are not granted, even if they look like it. */
const besideName = (host: string, near: string): NetAttack => ({
  name: `${JSON.stringify(host)} where localhost is granted`,
  grant: NAMED,
  body: gets(`http://${host}:{G}/`),
  works: { body: gets(`http://${near}:{G}/`), answer: "ok" },
});

export const names: NetAttack[] = [
  besideName("127.0.0.1", "localhost"),
  besideName("[::1]", "LOCALHOST"),
  besideName("localhost.", "LocalHost"),
  besideName("l\u03bfcalhost", "\uff4cocalhost"),
  besideName("xn--lcalhost-gbf", "local\u00adhost"),
  besideName("loca1host", "local%68ost"),
  besideName("localhost.localdomain", "lo\ncalhost"),
  {
    name: "the granted name in brackets, like an IPv6 address",
    grant: { connect: ["[::1]:{G}"] },
    body: gets("http://127.0.0.1:{G}/"),
    works: { body: gets("http://[0:0:0:0:0:0:0:1]:{G}/"), answer: "ok" },
  },
  {
    name: "a name that resolves to this machine, and is granted only as a name",
    grant: { connect: ["localhost.localdomain:{G}", "127.0.0.1:{G}"] },
    body: gets("http://127.0.0.2:{G}/"),
    works: { body: gets("http://127.0.0.1:{G}/"), answer: "ok" },
  },
];

/** URLs that one parser may read as the granted endpoint and another as the victim. */
const disguised = (url: string, near: string, answer?: unknown, nearAnswer: unknown = "ok"): NetAttack => ({
  name: JSON.stringify(url),
  body: gets(url),
  ...(answer === undefined ? {} : { answer }),
  works: { body: gets(near), answer: nearAnswer },
});

const CREDENTIALS = saying("credentials");
const INVALID = saying("Failed to parse URL");

export const disguises: NetAttack[] = [
  disguised("http://127.0.0.1:{G}@127.0.0.1:{V}/", "http://127.0.0.1:{G}/@127.0.0.1:{V}/", CREDENTIALS),
  disguised("http://127.0.0.1@127.0.0.1:{V}/", "http://@127.0.0.1:{G}/", CREDENTIALS),
  disguised("http://user:word@127.0.0.1:{G}/", "http://:@127.0.0.1:{G}/", CREDENTIALS),
  disguised("http://127.0.0.1:{V}#@127.0.0.1:{G}/", "http://127.0.0.1:{G}#@127.0.0.1:{V}/"),
  disguised("http://127.0.0.1:{V}?@127.0.0.1:{G}/", "http://127.0.0.1:{G}?@127.0.0.1:{V}/"),
  disguised("http://127.0.0.1:{V}\\@127.0.0.1:{G}/", "http://127.0.0.1:{G}\\@127.0.0.1:{V}/"),
  disguised("http:\\\\127.0.0.1:{V}\\", "http:\\\\127.0.0.1:{G}\\"),
  disguised("http:127.0.0.1:{V}", "http:127.0.0.1:{G}"),
  disguised("http:///127.0.0.1:{V}/", "HTTP:////127.0.0.1:{G}/"),
  disguised(" http://127.0.0.1:{V}/\u0000", "\thttp://127.0.0.1:{G}/ "),
  disguised("http://127.0.0.1:{V}/?http://127.0.0.1:{G}/", "http://127.0.0.1:{G}/?http://127.0.0.1:{V}/"),
  disguised("http://127.0.0.1%3A{G}:{V}/", "http://127.0.0.%31:{G}/", INVALID),
  disguised("http://127.0.0.1%2f@127.0.0.1:{V}/", "http://127.0.0.1:{G}/%2f@127.0.0.1:{V}/", CREDENTIALS),
  disguised("http://[127.0.0.1]:{G}/", "http://[::ffff:127.0.0.1]:{G}/", INVALID),
  disguised("http://[::1%25lo]:{G}/", "http://127.0.0.1:{G}/%25lo", INVALID),
  disguised("http://127.0.0.1:{G}:{V}/", "http://127.0.0.1:{G}/:{V}/", INVALID),
  disguised("http://127.0.0.256:{G}/", "http://127.0.0.1:0{G}/", INVALID),
];

/** Endpoints with no port, or with an invalid one. */
export const ports: NetAttack[] = [
  disguised("http://127.0.0.1/", "http://127.0.0.1:{G}/"),
  disguised("https://127.0.0.1/", "http://127.0.0.1:{G}/"),
  disguised("http://127.0.0.1:65536/", "http://127.0.0.1:00{G}/", INVALID),
  disguised("http://127.0.0.1:-1/", "http://127.0.0.1:{G}/", INVALID),
  {
    name: "port 0 is not the default port",
    grant: { connect: ["127.0.0.1:80", "127.0.0.1:443", "127.0.0.1:{G}"] },
    body: 'return fetch("http://127.0.0.1:0/").then((r) => r.status);',
    works: { body: gets("http://127.0.0.1:{G}/"), answer: "ok" },
  },
  {
    name: "the default port of the other scheme",
    grant: { connect: ["127.0.0.1:443", "127.0.0.1:{G}"] },
    body: gets("http://127.0.0.1:80/"),
    works: { body: gets("http://127.0.0.1:{G}/"), answer: "ok" },
  },
];

/** Addresses that are not on the internet and that the grant does not name. */
export const metadata: NetAttack[] = [
  ...[
    "169.254.169.254",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "192.168.0.1",
    "10.0.0.1",
    "[fe80::1]",
    "2852039166",
  ].map((host) => ({
    name: `a private address: ${host}`,
    body: gets(`http://${host}/latest/meta-data/`),
    works: { body: gets("http://127.0.0.1:{G}/latest/meta-data/"), answer: "ok" },
  })),
];

const scheme = (url: string): NetAttack => ({
  name: `a URL with a scheme other than http and https: ${url}`,
  body: gets(url),
  answer: failing("ERR_INVALID_PROTOCOL"),
  works: { body: gets("HtTp://127.0.0.1:{G}/"), answer: "ok" },
});

export const schemes: NetAttack[] = [
  ...["file:///etc/hostname", "ftp://127.0.0.1:{V}/", "ws://127.0.0.1:{G}/", "gopher://127.0.0.1:{V}/_x"].map(scheme),
  ...["data:text/plain,x", "javascript:1", "blob:http://127.0.0.1:{G}/x", "http+unix://%2Frun%2Fx/"].map(scheme),
];

/** The same by `node:http`, which takes an endpoint in parts. */
const inParts = (name: string, options: string, answer?: unknown, grant = GRANTED): NetAttack => ({
  name: `by parts: ${name}`,
  grant,
  body: `return heard(${options});`,
  ...(answer === undefined ? {} : { answer }),
  works: { body: 'return heard({ hostname: "127.0.0.1", port: {G}, path: "/" });', answer: "ok" },
});

/** Node fails for these in some way: no other host may get the request instead. */
const FAILS = saying("");

export const parts: NetAttack[] = [
  inParts("another port", '{ hostname: "127.0.0.1", port: {V} }'),
  inParts("hostname before host", '{ host: "127.0.0.1", hostname: "localhost", port: {G} }'),
  inParts("a whole URL as path", '{ hostname: "127.0.0.1", port: {G}, path: "http://127.0.0.1:{V}/" }'),
  {
    ...inParts(
      "a path that goes on with the host",
      `{ hostname: "127.0.0.1", port: {G}, path: "@127.0.0.1:{V}/" }`,
      "ok",
    ),
    asks: 1,
  },
  inParts("options that turn a URL", '"http://127.0.0.1:{G}/", { port: {V} }'),
  inParts("a URL with a name in it", '"http://127.0.0.1:{G}@127.0.0.1:{V}/"'),
  inParts("a URL that is none of Node's", '{ href: "http://127.0.0.1:{V}/", hostname: "127.0.0.1", port: {G} }'),
  inParts("a host that holds a port", '{ host: "127.0.0.1:{V}", port: {G} }', FAILS, {
    connect: ["127.0.0.1:{G}", "localhost:{G}"],
  }),
  inParts("a host that holds a name", '{ host: "x@127.0.0.1", port: {G} }', FAILS, {
    connect: ["127.0.0.1:{G}", "localhost:{G}"],
  }),
  inParts("a socket file", '{ socketPath: "/run/x.sock", path: "/" }', failing("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM")),
  inParts(
    "an agent of the hook's own",
    '{ hostname: "127.0.0.1", port: {G}, agent: { createConnection() {} } }',
    failing("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"),
  ),
  inParts(
    "a lookup of the hook's own",
    '{ hostname: "localhost", port: {G}, lookup: (h, o, give) => give(null, "127.0.0.1", 4) }',
    failing("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"),
  ),
  inParts("the protocol of the other module", '"https://127.0.0.1:{G}/"', failing("ERR_INVALID_PROTOCOL")),
];
