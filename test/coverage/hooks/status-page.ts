import * as http from "node:http";
import * as https from "node:https";
import { URL } from "node:url";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

function get(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).get(url, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    });
    request.on("error", reject);
    request.setTimeout(5000, () => request.destroy(new Error("timed out")));
  });
}

/** No deployments while the status page shows an incident. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    if (event.toolName !== "bash" || !/\bdeploy\b/.test(String(event.input.command))) return undefined;
    const page = new URL("/api/status.json", process.env.PI_STATUS_URL ?? "https://status.example.com");
    const { indicator } = JSON.parse(await get(page)) as { indicator: string };
    return indicator === "none" ? undefined : { block: true, reason: `There is an incident: ${indicator}` };
  });
}
