import { createHmac } from "node:crypto";
import { basename } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** A line in the team's channel when a prompt is done, signed as the channel wants it. */
export default function (pi: HookAPI) {
  pi.on("agent_end", async (_event, ctx) => {
    const { PI_WEBHOOK_URL: url, PI_WEBHOOK_SECRET: secret = "" } = process.env;
    if (!url) return;
    const body = JSON.stringify({ text: `${basename(ctx.cwd)}: done` });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 10_000);
    try {
      const headers = { "content-type": "application/json", "x-signature": signature };
      const response = await fetch(url, { method: "POST", headers, body, signal: controller.signal });
      if (!response.ok) console.warn(`webhook answered ${response.status}`);
    } catch (error) {
      console.error("webhook:", error);
    } finally {
      clearTimeout(timer);
    }
  });
}
