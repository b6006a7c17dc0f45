import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Terminal } from "../../market/journey-terminal.ts";
import { needs } from "../../support/needs.ts";
import { temporaryFolder, writeFiles } from "../../support/session.ts";
import { lacksTmux } from "../screen.ts";
import { lacksNamespace, PI_VERSIONS } from "./install.ts";
import { MODEL_PORT } from "./model-server.ts";
import { Scene } from "./scene.ts";
import { bash } from "./script.ts";

/** Blocks, and has a file say where it ran: in pi it can, in a sandbox it cannot. */
const EXTENSION = `import { writeFileSync } from "node:fs";
export default (pi) => pi.on("tool_call", (event) => {
  try { writeFileSync("ran-in-pi", ""); } catch {}
  if (event.input.command.includes("rm")) return { block: true, reason: "no rm" };
});`;

const MODEL = { id: "mock", contextWindow: 128_000, maxTokens: 4000 };
const MODELS = JSON.stringify({
  providers: {
    mock: { baseUrl: `http://127.0.0.1:${MODEL_PORT}/v1`, apiKey: "dummy", api: "openai-completions", models: [MODEL] },
  },
});

const lacks = lacksNamespace() ?? lacksTmux();

describe.each(PI_VERSIONS)("an extension that is moved from pi %s into Cordon", needs(lacks), (version) => {
  test("guards as before, without pi's rights, and again with them once it is given back", async () => {
    const folder = temporaryFolder();
    const [user, work] = [join(folder, "home"), join(folder, "work")];
    mkdirSync(work);
    const file = join(user, ".pi/agent/extensions/gate.ts");
    writeFiles(user, { ".pi/agent/extensions/gate.ts": EXTENSION });
    /** What the model is told, and whether the extension could write. */
    const session = async (number: number): Promise<[string, boolean]> => {
      const own = join(folder, `session-${number}`);
      mkdirSync(own);
      const scene = await Scene.start({
        version,
        folder: own,
        mode: "print",
        prompt: "go",
        turns: [bash("rm x")],
        env: { HOME: user },
        files: { "../home/.pi/agent/models.json": MODELS },
      });
      await scene.end();
      return [scene.results[0] ?? scene.stderr, existsSync(join(own, "work/ran-in-pi"))];
    };
    const terminal = await Terminal.open(
      { folder, home: join(user, ".cordon"), work, env: { HOME: user } },
      { NO_COLOR: "1", CORDON_HOME: undefined, PI_CODING_AGENT_DIR: undefined },
    );
    const yes = (text: string) => async () => {
      await terminal.shows(text);
      terminal.press("y");
    };

    expect(await session(1)).toEqual(["no rm", true]);
    await terminal.run("cordon install pi", yes("Shall I enter Cordon"));
    await terminal.run("cordon adopt pi", async () => {
      await terminal.shows("Move gate from pi into Cordon?");
      terminal.press("Down", "Enter");
    });
    expect(existsSync(file)).toBe(false);
    expect(await session(2)).toEqual(["Blocked by hook gate: no rm", false]);
    await terminal.run("cordon adopt pi --undo", yes("with all its rights"));
    expect(readFileSync(file, "utf8")).toBe(EXTENSION);
    expect(await session(3)).toEqual(["no rm", true]);
  });
});
