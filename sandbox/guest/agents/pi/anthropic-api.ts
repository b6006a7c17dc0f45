/** pi's own code for this interface of models, over the hook's `fetch`. */
import { stream, streamSimple } from "@earendil-works/pi-ai/dist/api/anthropic-messages.js";

export { stream as streamAnthropic, streamSimple as streamSimpleAnthropic };
export const anthropicMessagesApi = () => ({ stream, streamSimple });
