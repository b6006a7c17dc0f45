import { failing, type NetAttack, saying } from "./net-attack.ts";

const START = "http://127.0.0.1:{G}";
const VICTIM = "http://127.0.0.1:{V}/secret";
const ok = { body: `return text("${START}/");`, answer: "ok" };

/** A URL whose response redirects to another endpoint. */
const to = (where: string, status = 302): string =>
  `${START}/to?status=${status}&where=${encodeURIComponent(where).replaceAll("%7B", "{").replaceAll("%7D", "}")}`;
const gets = (url: string, init = ""): string => `return text(${JSON.stringify(url)}${init});`;

/** Redirects of a granted server: the first request is made, the second is not. */
const sent = (name: string, where: string, near: string, more: Partial<NetAttack> = {}): NetAttack => ({
  name,
  body: gets(to(where)),
  asks: 1,
  works: { body: gets(to(near)), answer: "ok" },
  ...more,
});

const STATUSES = [301, 302, 303, 307, 308];

export const redirects: NetAttack[] = [
  ...STATUSES.flatMap((status) => [
    sent(`${status} to another port`, VICTIM, "", {
      body: gets(to(VICTIM, status)),
      works: { body: gets(to(`${START}/there`, status)), answer: "ok" },
    }),
    sent(`${status} of a POST to another port`, VICTIM, "", {
      body: gets(to(VICTIM, status), ', { method: "POST", body: "the body" }'),
      works: { body: gets(to("/there", status), ', { method: "POST", body: "the body" }'), answer: "ok" },
    }),
  ]),
  sent("to a name of the same machine", "http://localhost:{G}/", "http://127.0.0.1:{G}/"),
  sent("to another address of the same machine", "http://[::1]:{G}/", "http://[::ffff:127.0.0.1]:{G}/"),
  sent("to an address in another spelling", "http://2130706433:{V}/", "http://2130706433:{G}/"),
  sent("to a cloud's own address", "http://169.254.169.254/latest/meta-data/", "/latest/meta-data/"),
  sent("without a scheme", "//127.0.0.1:{V}/", "//127.0.0.1:{G}/"),
  sent("with backslashes", "\\\\127.0.0.1:{V}\\", "\\\\127.0.0.1:{G}\\"),
  sent("to a place behind a path that looks like a name", "/@127.0.0.1:{V}/../..//x", "/@127.0.0.1:{V}/", {
    answer: "ok",
    asks: 2,
  }),
  sent("with credentials of the granted place", "http://127.0.0.1:{G}@127.0.0.1:{V}/", "http://@127.0.0.1:{G}/", {
    answer: saying("name or password"),
  }),
  sent("with credentials for the granted place", "http://user:word@127.0.0.1:{G}/", "http://:@127.0.0.1:{G}/", {
    answer: saying("name or password"),
  }),
  ...["file:///etc/hostname", "ftp://127.0.0.1:{V}/", "javascript:1", "ws://127.0.0.1:{V}/"].map((where) =>
    sent(`to ${where}`, where, "/", { answer: failing("ERR_INVALID_PROTOCOL") }),
  ),
  sent("to data:", "data:text/plain,x", "/?data:text/plain,x", { answer: failing("ERR_INVALID_PROTOCOL") }),
  sent("to no URL", "http://[", "[", { answer: saying("no URL") }),
  sent("by a page and not by a status", "", "", {
    body: gets(`${START}/page?where=${VICTIM}`),
    answer: "page",
    works: { body: gets(to("/page")), answer: "page" },
  }),
  sent("after several that stay", "", "", {
    body: gets(`${START}/hops?n=3&where=${VICTIM}`),
    asks: 3,
    works: { body: gets(`${START}/hops?n=3&where=/`), answer: "ok" },
  }),
  sent("more than 20 in a row", "", "", {
    body: gets(`${START}/hops?n=21&where=/`),
    answer: saying("redirect count exceeded"),
    asks: 21,
    works: { body: gets(`${START}/hops?n=20&where=/`), answer: "ok" },
  }),
  sent("for ever", "", "", {
    body: gets(to("/to?status=302&where=")),
    answer: saying("redirect count exceeded"),
    asks: 21,
    works: ok,
  }),
  sent("where the hook takes none", "/", "", {
    body: gets(to("/"), ', { redirect: "error" }'),
    answer: saying("redirect"),
    works: { body: `return text("${START}/", { redirect: "error" });`, answer: "ok" },
  }),
  sent("where the hook looks at it itself", "", "", {
    body: `const r = await fetch(${JSON.stringify(to(VICTIM))}, { redirect: "manual" }); return [r.status, r.headers.get("location"), r.redirected];`,
    answer: [302, "http://127.0.0.1:{V}/secret", false],
    works: {
      body: `const r = await fetch(${JSON.stringify(to("/there"))}); return [r.status, new URL(r.url).pathname, r.redirected];`,
      answer: [200, "/there", true],
    },
  }),
  sent("by node:http, which follows none", "", "", {
    body: `return heard(${JSON.stringify(to(VICTIM))});`,
    answer: "moved",
    works: { body: `return heard("${START}/");`, answer: "ok" },
  }),
  sent("past the modules", "", "", {
    body: `return (await asked(${JSON.stringify(to(VICTIM))})).status;`,
    works: { body: `return (await asked(${JSON.stringify(to("/"))})).status;`, answer: 200 },
  }),
];
