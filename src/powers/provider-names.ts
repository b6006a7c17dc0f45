/** Providers that agents have themselves, and for which a person may have a key: those of pi 0.87 to 1.5. */
export const OWN_PROVIDERS: ReadonlySet<string> = new Set(
  `amazon-bedrock ant-ling anthropic azure azure-openai-responses baseten cerebras cloudflare-ai-gateway
  cloudflare-workers-ai deepseek fireworks github-copilot google google-antigravity google-gemini-cli google-vertex groq
  huggingface kimi-coding llama.cpp meta minimax minimax-cn mistral moonshotai moonshotai-cn nvidia openai openai-codex opencode
  opencode-go openrouter qwen-token-plan qwen-token-plan-cn qwen-token-plan-individual qwen-token-plan-individual-cn
  radius together typesafe vercel-ai-gateway xai xiaomi xiaomi-token-plan-ams xiaomi-token-plan-cn xiaomi-token-plan-sgp
  zai zai-coding-cn`.split(/\s+/),
);

/** True if the agent has a provider of that name, for which the person may have a key. `providers`: those that it says it has. */
export const isOwn = (name: string, providers: readonly string[] = []): boolean =>
  OWN_PROVIDERS.has(name.toLowerCase()) || providers.includes(name);

/**
 * Interfaces of models with which an agent itself asks a provider that a hook names, with that provider's own key. Others find
 * keys of the machine by themselves (those of clouds), or places.
 */
export const AGENT_APIS: ReadonlySet<string> = new Set([
  "anthropic-messages",
  "google-generative-ai",
  "mistral-conversations",
  "openai-completions",
  "openai-responses",
]);
