/** What is used of the Strands SDK (`@strands-agents/sdk` 1.19). */
interface ToolUse {
  name: string;
  toolUseId: string;
  input: unknown;
}

export interface ToolContext {
  toolUse: ToolUse;
  cancelSignal?: AbortSignal;
}

export interface ResultBlock {
  toolUseId: string;
  status: "success" | "error";
  content: readonly object[];
  error?: Error;
}

export type ToolStream = AsyncGenerator<unknown, ResultBlock | undefined, undefined>;

export interface StrandsTool {
  name: string;
  stream(context: ToolContext): ToolStream;
}

export interface ToolRegistry {
  get(name: string): StrandsTool | undefined;
  resolve(name: string): StrandsTool;
  list(): StrandsTool[];
}

export interface StrandsAgent {
  readonly toolRegistry: ToolRegistry;
  readonly messages: readonly object[];
  addHook(
    event: EventClass,
    callback: (event: StrandsEvent) => void | Promise<void>,
    options?: { order: number },
  ): unknown;
}

interface StrandsEvent {
  selectedTool?: StrandsTool | undefined;
}

type EventClass = new (...given: never[]) => object;

type BlockClass<Data> = new (data: Data) => object;

/** The package's exports. */
export interface StrandsSdk {
  Agent: EventClass;
  BeforeInvocationEvent: EventClass;
  AfterInvocationEvent: EventClass;
  BeforeModelCallEvent: EventClass;
  BeforeToolCallEvent: EventClass;
  TextBlock: BlockClass<string>;
  ToolResultBlock: (new (data: ResultBlock) => ResultBlock) & { fromJSON(data: object): ResultBlock };
}

const SDK: string = "@strands-agents/sdk";

/** Loads the SDK that the agent is of. Rejects where Cordon finds none, or another copy of it. */
export async function sdkOf(agent: StrandsAgent): Promise<StrandsSdk> {
  const sdk: StrandsSdk = await import(SDK);
  if (!(agent instanceof sdk.Agent))
    throw new Error(`the agent is of another copy of ${SDK} than the one that Cordon finds: install both in one place`);
  return sdk;
}
