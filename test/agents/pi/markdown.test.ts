import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/session.ts";
import { lacksTmux } from "../screen.ts";
import { lacksNamespace, PI_VERSIONS } from "./install.ts";
import { contained } from "./scenes.ts";
import { PiTerminal } from "./terminal.ts";

const missing = lacksNamespace() ?? lacksTmux();

/** Shows arrows for what a model writes, as an extension of pi's documentation does. */
const ARROWS = `export default (pi: any) => {
  pi.registerMarkdownTransformer((markdown: string, { messageType, isStreaming }: any) =>
    isStreaming || messageType === "user" ? markdown : markdown.replaceAll("-->", "→"));
};`;

describe.each(PI_VERSIONS)("Markdown in pi %s", needs(missing), (version) => {
  const turns = [{ text: "first --> second" }, { text: "third --> fourth" }];

  async function shows(extensions: Record<string, string>, files = {}): Promise<string> {
    const pi = await PiTerminal.open({ version, folder: temporaryFolder(), turns, files, extensions });
    await pi.shows("(mock) mock");
    await pi.settled();
    await pi.submit("one --> two");
    await pi.shows("first → second");
    await pi.submit("again");
    await pi.shows("third → fourth");
    return pi.settled();
  }

  const lines = (screen: string): string[] =>
    screen
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.includes("→") || line.includes("-->"));

  test("an extension changes what is shown as without Cordon, and its name stands before it", async () => {
    const plain = await shows({ arrows: ARROWS });
    const { extension, files } = contained({ arrows: { source: ARROWS, capabilities: { ui: ["markdown"] } } });
    const inside = await shows({ cordon: extension }, files);
    expect(lines(inside)).toEqual(lines(plain));
    expect(lines(plain)).toEqual(["one --> two", "first → second", "third → fourth"]);
    expect(inside.split("┃ arrows").length).toBe(3);
  });
});
