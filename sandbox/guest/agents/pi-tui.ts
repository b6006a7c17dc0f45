/**
 * The parts of `@mariozechner/pi-tui` that only compute: widths, keys, searching, and components that make lines of text. What
 * draws on the agent's terminal is not offered.
 */
export { Spacer } from "@earendil-works/pi-tui/dist/components/spacer.js";
export { Text } from "@earendil-works/pi-tui/dist/components/text.js";
export { TruncatedText } from "@earendil-works/pi-tui/dist/components/truncated-text.js";
export { fuzzyFilter, fuzzyMatch } from "@earendil-works/pi-tui/dist/fuzzy.js";
export {
  decodeKittyPrintable,
  isKeyRelease,
  isKeyRepeat,
  isKittyProtocolActive,
  Key,
  matchesKey,
  parseKey,
} from "@earendil-works/pi-tui/dist/keys.js";
export { sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";

/** Where a component that has the focus shows the cursor. */
export const CURSOR_MARKER = "\u001b_pi:c\u0007";
