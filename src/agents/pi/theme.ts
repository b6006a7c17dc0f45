import type { Palette } from "../../../sandbox/wire/screens.ts";
import type { PiTheme } from "./pi-ui.ts";

/** The names of pi's colours. Versions differ: what a theme lacks is left out. */
const FG =
  "accent bashMode border borderAccent borderMuted customMessageLabel customMessageText dim error mdCode mdCodeBlock mdCodeBlockBorder mdHeading mdHr mdLink mdLinkUrl mdListBullet mdQuote mdQuoteBorder muted scrollbarThumb scrollbarTrack searchMatchText success syntaxComment syntaxFunction syntaxKeyword syntaxNumber syntaxOperator syntaxPunctuation syntaxString syntaxType syntaxVariable text thinkingHigh thinkingLow thinkingMax thinkingMedium thinkingMinimal thinkingOff thinkingText thinkingXhigh toolDiffAdded toolDiffContext toolDiffRemoved toolOutput toolTitle userMessageText warning".split(
    " ",
  );
const BG = "customMessageBg searchMatchBg selectedBg toolErrorBg toolPendingBg toolSuccessBg userMessageBg".split(" ");

/** Names pi's theme as hooks know it: its colours can change under one name. */
export function themeName(theme: PiTheme): string {
  return `${theme.name ?? ""} ${codeOf(() => theme.getFgAnsi("accent"))} ${codeOf(() => theme.getBgAnsi("selectedBg"))}`;
}

/** pi's colours, as the escape sequences that begin them. */
export const paletteOf = (theme: PiTheme): Palette => ({
  name: theme.name ?? "",
  ...(theme.appearance ? { appearance: theme.appearance } : {}),
  fg: coded(FG, (name) => theme.getFgAnsi(name)),
  bg: coded(BG, (name) => theme.getBgAnsi(name)),
});

const coded = (names: readonly string[], code: (name: string) => string): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const found = codeOf(() => code(name));
      return found === undefined ? [] : [[name, found]];
    }),
  );

/** pi throws for a colour that a theme does not have. */
function codeOf(code: () => string): string | undefined {
  try {
    return code();
  } catch {
    return undefined;
  }
}
