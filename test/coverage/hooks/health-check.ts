import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const URL_TO_CHECK = process.env.PI_HEALTH_URL ?? "http://127.0.0.1:8080/health";

/** Tells the agent when the development server stops answering. */
export default function (pi: HookAPI) {
  let healthy = true;

  pi.on("turn_end", async () => {
    let problem = "";
    try {
      const response = await fetch(URL_TO_CHECK, { signal: AbortSignal.timeout(3000) });
      if (response.status !== 200) problem = `answers ${response.status}`;
    } catch (error) {
      problem = (error as Error).name === "TimeoutError" ? "does not answer" : "is down";
    }
    if (problem && healthy) pi.send(`The development server ${problem}: ${URL_TO_CHECK}`);
    healthy = problem === "";
  });
}
