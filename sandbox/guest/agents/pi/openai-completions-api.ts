/** pi's own code for this interface of models, over the hook's `fetch`. */
import { stream, streamSimple } from "@earendil-works/pi-ai/dist/api/openai-completions.js";

export { stream as streamOpenAICompletions, streamSimple as streamSimpleOpenAICompletions };
export const openAICompletionsApi = () => ({ stream, streamSimple });
