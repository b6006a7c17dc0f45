import { setTimeout as pause } from "node:timers/promises";
import { Screen, type Shown } from "../screen.ts";
import { preparePi, type SceneOptions } from "./world.ts";

/** Real pi in a real terminal. */
export class PiTerminal extends Screen {
  readonly work: string;

  private constructor(folder: string, shown: Shown) {
    super(folder, shown);
    this.work = shown.cwd;
  }

  static async open(options: Omit<SceneOptions, "mode">): Promise<PiTerminal> {
    const { work, command, env } = await preparePi({ ...options, mode: "tui" });
    return new PiTerminal(options.folder, { command, cwd: work, env });
  }

  /** Types a line, and submits it. pi takes an Enter that comes at once for a part of a pasted text. */
  async submit(text: string): Promise<void> {
    this.type(text);
    await this.shows(text);
    await pause(200);
    // The list of commands takes an Enter for itself.
    if (text.startsWith("/")) this.press("Escape");
    await pause(200);
    this.press("Enter");
  }
}
