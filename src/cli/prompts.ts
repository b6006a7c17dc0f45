/** The prompts of a terminal. Ctrl+D, the end of its input, cancels like Ctrl+C: else it would close the input under a prompt. */
import { updateSettings } from "@clack/prompts";

updateSettings({ aliases: { "\u0004": "cancel" } });

export { confirm, isCancel, multiselect, select, text } from "@clack/prompts";
