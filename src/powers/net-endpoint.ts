import { canonicalHost, type Endpoint } from "./net-grant.ts";

/** Where a request goes. Throws for what is no address of a web server. */
export function endpointOf(text: string): { url: URL; endpoint: Endpoint } {
  const url = URL.parse(text);
  if (!url) throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL" });
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw Object.assign(new TypeError(`${url.protocol} is not offered to hooks: http: and https: are`), {
      code: "ERR_INVALID_PROTOCOL",
    });
  if (url.username !== "" || url.password !== "")
    throw new TypeError("a URL with a name or password in it is refused: send an authorization header");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { url, endpoint: { host: canonicalHost(url.hostname), port } };
}
