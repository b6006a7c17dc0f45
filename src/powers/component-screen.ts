import type { Drawing } from "../../sandbox/wire/screens.ts";
import type { DrawingTime } from "./drawing-time.ts";
import { Screen } from "./screen.ts";

/** A component that a hook shows beside what the agent draws. */
export class ComponentScreen extends Screen {
  readonly #draw: (drawing: Drawing) => Promise<readonly string[]>;

  constructor(options: {
    hook: { id: string; name: string };
    hasFocus: boolean;
    hides: boolean;
    draw: (drawing: Drawing) => Promise<readonly string[]>;
    left?: () => void;
    time?: DrawingTime;
  }) {
    super(options);
    this.#draw = options.draw;
  }

  protected override draw(drawing: Drawing): Promise<readonly string[]> {
    return this.#draw(drawing);
  }
}
