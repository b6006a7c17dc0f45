import type { Static } from "typebox";
import Type from "../base/type.ts";
import { names } from "./algebra.ts";
import type { Power } from "./power.ts";

const uiGrant = Type.Array(
  Type.Enum(["notify", "select", "confirm", "input", "editor", "show", "draw", "markdown", "typing"]),
  {
    description:
      "What it shows and asks: notices and dialogs. show: a line of status, lines beside the editor, the title. editor: reads and sets what the person is writing. draw: components, which get the keyboard while their frame has it. markdown: how messages are shown. typing: all that the person types.",
  },
);

export type UiGrant = Static<typeof uiGrant>;

export const uiPower: Power<typeof uiGrant> = { schema: uiGrant, ...names<UiGrant[number]>() };

export const mayDraw = (granted: UiGrant | undefined): boolean => granted?.includes("draw") === true;

/** It changes how the agent shows what was said. */
export const changesMarkdown = (granted: UiGrant | undefined): boolean => granted?.includes("markdown") === true;

export const readsTyping = (granted: UiGrant | undefined): boolean => granted?.includes("typing") === true;
