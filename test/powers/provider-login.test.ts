import { expect, test } from "vitest";
import { startAnswering } from "./provider-facts.ts";

/** A provider that signs in so. */
const signing = (login: string) =>
  startAnswering("", {
    members: `oauth: {
      name: "My LLM",
      async login(callbacks: any) { ${login} },
      async refreshToken(credentials: any, signal: any) { return { ...credentials, access: credentials.access + "+", aborted: signal.aborted }; },
      getApiKey: (credentials: any) => "key:" + credentials.access,
    },`,
  });

/** Answers as a person would, and records what was shown. */
function person(answers: Record<string, unknown> = {}) {
  const shown: unknown[] = [];
  const dialog = async (step: string, value: unknown): Promise<unknown> => {
    shown.push([step, value]);
    return answers[step];
  };
  return { shown, dialog };
}

test("a sign-in shows and asks by the agent's dialogs, under the hook's name, and gives credentials with their key", async () => {
  const { host } = await signing(`
    callbacks.onAuth({ url: "https://login.example/a?b=c", instructions: "open\\u001b[2J it" });
    callbacks.onDeviceCode({ userCode: "AB-CD", verificationUri: "https://login.example/device", intervalSeconds: 5 });
    callbacks.onProgress("wait");
    const code = await callbacks.onPrompt({ message: "Paste the code:" });
    const choice = await callbacks.onSelect({ message: "Which?", options: [{ id: "a", label: "A" }, { id: "b", label: "B\\u202e" }] });
    const manual = await callbacks.onManualCodeInput();
    return { refresh: manual, access: code + choice, expires: 5, aborted: callbacks.signal.aborted };`);
  const { shown, dialog } = person({ prompt: "code", select: "b", manualCode: "m" });
  expect(await host.providers.login("my-llm", dialog)).toEqual({
    credentials: { refresh: "m", access: "codeb", expires: 5, aborted: false },
    apiKey: "key:codeb",
  });
  expect(shown).toEqual([
    ["auth", { url: "https://login.example/a?b=c", instructions: "[llm] open it" }],
    ["deviceCode", { userCode: "AB-CD", verificationUri: "https://login.example/device", intervalSeconds: 5 }],
    ["progress", "[llm] wait"],
    ["prompt", { message: "[llm] Paste the code:" }],
    [
      "select",
      {
        message: "[llm] Which?",
        options: [
          { id: "a", label: "A" },
          { id: "b", label: "B" },
        ],
      },
    ],
    ["manualCode", undefined],
  ]);
});

test("credentials are renewed, and the key of others is asked for", async () => {
  const { host } = await signing("return {};");
  const credentials = { refresh: "r", access: "a", expires: 1 };
  expect(await host.providers.refresh("my-llm", credentials)).toEqual({
    credentials: { ...credentials, access: "a+", aborted: false },
    apiKey: "key:a+",
  });
  expect(await host.providers.apiKey("my-llm", credentials)).toBe("key:a");
});

test.each(["javascript:alert(1)", "file:///etc/passwd", "not an address", "vscode://x"])(
  "the agent opens no %s in a browser",
  async (url) => {
    const { host } = await signing(
      `callbacks.onAuth({ url: ${JSON.stringify(url)} }); await callbacks.onPrompt({ message: "x" }); return { access: "a" };`,
    );
    const { shown, dialog } = person({ prompt: "x" });
    await host.providers.login("my-llm", dialog);
    expect(shown).toEqual([["prompt", { message: "[llm] x" }]]);
  },
);

test("a sign-in that fails, is cancelled or gives no credentials says so", async () => {
  const { dialog } = person();
  const failing = await signing(`throw new Error("no account");`);
  await expect(failing.host.providers.login("my-llm", dialog)).rejects.toThrow("no account");
  const empty = await signing(`return "nothing";`);
  await expect(empty.host.providers.login("my-llm", dialog)).rejects.toThrow("no credentials");
  const cancelled = await signing(`await callbacks.onPrompt({ message: "x" }); return { access: "a" };`);
  const stop = new AbortController();
  const never = (): Promise<never> =>
    new Promise((_done, fail) => stop.signal.addEventListener("abort", () => fail(new Error("Login cancelled"))));
  setTimeout(() => stop.abort(), 50);
  await expect(cancelled.host.providers.login("my-llm", never, stop.signal)).rejects.toThrow(/cancelled/i);
});

test("models are listed anew, within the places that were granted", async () => {
  const model = { id: "new", name: "New", input: ["text"], cost: {}, contextWindow: 1, maxTokens: 1 };
  const listing = (more: object) =>
    startAnswering("", {
      members: `async refreshModels(context: any) { return [${JSON.stringify({ ...model, ...more })}]; },`,
    });
  expect(await (await listing({})).host.providers.models("my-llm")).toEqual([{ ...model, reasoning: false }]);
  const away = await listing({ api: "openai-completions", baseUrl: "https://evil.example" });
  await expect(away.host.providers.models("my-llm")).rejects.toThrow("not granted a place of one of its models");
});
