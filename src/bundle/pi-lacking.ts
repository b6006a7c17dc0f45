const KEYS = "keys and providers stay with the agent: ask a model with complete()";

/** What pi's packages export that no hook can have, by the reason. Names of later versions are not listed. */
const REASONS: readonly [why: string, names: string][] = [
  [
    "it is the agent itself, or an object of its process",
    `AgentSessionRuntime CredentialSynchronizationError DefaultPackageManager ExtensionRunner
    FooterComponent InteractiveMode LoginDialogComponent ModelRegistry ModelSelectorComponent OAuthSelectorComponent
    RpcClient SessionSelectorComponent SettingsSelectorComponent ToolExecutionComponent TreeSelectorComponent
    createAgentSessionFromServices createAgentSessionRuntime createAgentSessionServices createCodemodeExtension
    createMcpExtension createToolSearchExtension discoverAndLoadExtensions loadProjectContextFiles main parseArgs parseSkillBlock runPrintMode runRpcMode VIRTUAL_MODEL_STATE_ENTRY`,
  ],
  ["what a person trusts is not a hook's to read or decide", "hasTrustRequiringProjectResources ProjectTrustStore"],
  [
    KEYS,
    `ANTHROPIC_API_KEY_ENV ANTHROPIC_AUTH_TOKEN_ENV ANTHROPIC_OAUTH_TOKEN_ENV ModelsError azureOpenAIResponsesApi bedrockConverseStreamApi cleanupSessionResources createFauxCore
    createImagesModels createImagesProvider createModels createProvider defaultProviderAuthContext envApiKeyAuth
    fauxProvider findEnvKeys generateImages generateImagesOpenRouter getEnvApiKey
    getImageModel getImageModels getImageProviders getImagesApiProvider googleGenerativeAIApi googleVertexApi lazyApi
    lazyOAuth lazyStream mistralConversationsApi openAICodexResponsesApi piMessagesApi readStoredCredential
    registerApiProvider registerBuiltInApiProviders registerBuiltInImagesApiProviders registerFauxProvider
    registerImagesApiProvider registerSessionResourceCleanup resetApiProviders setBedrockProviderLoader
    setBedrockProviderModule streamAzureOpenAIResponses streamGoogle streamGoogleVertex streamMistral
    streamOpenAICodexResponses streamSimpleAzureOpenAIResponses streamSimpleGoogle streamSimpleGoogleVertex
    streamSimpleMistral streamSimpleOpenAICodexResponses unregisterApiProviders`,
  ],
  ["it draws on the agent's terminal", "ProcessTerminal TuiAltScreen TuiMainScreen"],
  ["the clipboard is the person's", "copyToClipboard getNativeClipboard"],
  ["it starts a person's own editor on their terminal", "ExtensionEditorComponent"],
];

const why = new Map(
  REASONS.flatMap(([reason, names]) => names.split(/\s+/).map((name): [string, string] => [name, reason])),
);

/** The same for all else of a module. */
const OF_MODULES: readonly [specifiers: RegExp, reason: string][] = [
  [/\/pi-ai\/(dist\/)?(oauth|bun-oauth|providers|auth)\b/, KEYS],
  [/\/pi-agent-core\b/, "it is of pi's own harness: createAgentSession of pi-coding-agent makes an agent"],
];

/** Why no hook has an export of pi's packages, which a module of this specifier has. */
export const whyLacking = (name: string, specifier = ""): string | undefined =>
  why.get(name) ?? OF_MODULES.find(([specifiers]) => specifiers.test(specifier))?.[1];
