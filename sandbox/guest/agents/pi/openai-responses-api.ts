/** pi's own code for this interface of models, over the hook's `fetch`. */
import { stream, streamSimple } from "@earendil-works/pi-ai/dist/api/openai-responses.js";

export { stream as streamOpenAIResponses, streamSimple as streamSimpleOpenAIResponses };
export const openAIResponsesApi = () => ({ stream, streamSimple });
