/**
 * The parts of `@mariozechner/pi-tui` that only compute: widths, keys, searching, and components, which make lines of text and
 * take keys. What draws on the agent's terminal is not offered.
 */
export { CombinedAutocompleteProvider } from "@earendil-works/pi-tui/dist/autocomplete.js";
export { Box } from "@earendil-works/pi-tui/dist/components/box.js";
export { CancellableLoader } from "@earendil-works/pi-tui/dist/components/cancellable-loader.js";
export { Editor } from "@earendil-works/pi-tui/dist/components/editor.js";
export { HStack } from "@earendil-works/pi-tui/dist/components/h-stack.js";
export { Image } from "@earendil-works/pi-tui/dist/components/image.js";
export { Input } from "@earendil-works/pi-tui/dist/components/input.js";
export { Loader } from "@earendil-works/pi-tui/dist/components/loader.js";
export { Markdown } from "@earendil-works/pi-tui/dist/components/markdown.js";
export { MouseRegion } from "@earendil-works/pi-tui/dist/components/mouse-region.js";
export { ScrollView } from "@earendil-works/pi-tui/dist/components/scroll-view.js";
export { SelectList } from "@earendil-works/pi-tui/dist/components/select-list.js";
export { SettingsList } from "@earendil-works/pi-tui/dist/components/settings-list.js";
export { Spacer } from "@earendil-works/pi-tui/dist/components/spacer.js";
export { Text } from "@earendil-works/pi-tui/dist/components/text.js";
export { TruncatedText } from "@earendil-works/pi-tui/dist/components/truncated-text.js";
export { VStack } from "@earendil-works/pi-tui/dist/components/v-stack.js";
export { fuzzyFilter, fuzzyMatch } from "@earendil-works/pi-tui/dist/fuzzy.js";
export { Marked } from "@earendil-works/pi-tui/dist/index.js";
export {
  getKeybindings,
  KeybindingsManager,
  setKeybindings,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui/dist/keybindings.js";
export {
  decodeKittyPrintable,
  isKeyRelease,
  isKeyRepeat,
  isKittyProtocolActive,
  Key,
  matchesKey,
  parseKey,
  setKittyProtocolActive,
} from "@earendil-works/pi-tui/dist/keys.js";
export { renderLatex } from "@earendil-works/pi-tui/dist/latex.js";
export { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
export {
  parseOsc11BackgroundColor,
  parseTerminalColorSchemeReport,
} from "@earendil-works/pi-tui/dist/terminal-colors.js";
export {
  allocateImageId,
  calculateImageRows,
  deleteAllKittyImages,
  deleteKittyImage,
  detectCapabilities,
  encodeITerm2,
  encodeKitty,
  getCapabilities,
  getCellDimensions,
  getGifDimensions,
  getImageDimensions,
  getJpegDimensions,
  getPngDimensions,
  getWebpDimensions,
  hyperlink,
  imageFallback,
  renderImage,
  resetCapabilitiesCache,
  setCapabilities,
  setCapabilityOverrides,
  setCellDimensions,
} from "@earendil-works/pi-tui/dist/terminal-image.js";
export {
  Container,
  CURSOR_MARKER,
  compositeTuiLine,
  isFocusable,
  isViewportTUI,
} from "@earendil-works/pi-tui/dist/tui.js";
export {
  getOsc8LinkAtColumn,
  sliceByColumn,
  stripTerminalSequences,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui/dist/utils.js";
export { getEditorKeybindings } from "./pi/editor-keybindings.ts";
export { renderFakeCursor } from "./pi/fake-cursor.ts";
