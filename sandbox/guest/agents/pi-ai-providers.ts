/** The exports of `@earendil-works/pi-ai/providers/all` that list models: here those of the agent. */
export {
  getModel as getBuiltinModel,
  getModels as getBuiltinModels,
  getProviders as getBuiltinProviders,
} from "./pi/models.ts";
