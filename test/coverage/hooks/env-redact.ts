import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const SECRETS = ["DEPLOY_TOKEN", "GITHUB_TOKEN", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY"];

/** The values of secret variables never reach the model. */
export default function (pi: HookAPI) {
  const secrets = SECRETS.map((name) => [name, process.env[name] ?? ""] as const).filter(
    ([, value]) => value.length >= 8,
  );

  pi.on("tool_result", async (event) => {
    const content = event.content.map((part) => {
      if (part.type !== "text") return part;
      return {
        ...part,
        text: secrets.reduce((text, [name, value]) => text.replaceAll(value, `\${${name}}`), part.text),
      };
    });
    return { content };
  });
}
