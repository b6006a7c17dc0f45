/** As a text of any kind: the types of V8's own, where they are known, want more than is used here. */
const NAME: string = "WebAssembly";

interface Namespace {
  readonly Module: new (bytes: unknown) => object;
  readonly Instance: new (module: object, imports?: unknown) => object;
}

/**
 * `WebAssembly` that compiles in the turn that asks for it. V8 would hand it to threads, whose time no isolate is charged for,
 * and answer an isolate that nobody enters.
 */
export function keepWebAssembly(): void {
  const own: Namespace = Reflect.get(globalThis, NAME);
  const { Module, Instance } = own;
  const compile = async (bytes: unknown): Promise<object> => new Module(bytes);
  const instantiate = async (source: unknown, imports?: unknown): Promise<object> => {
    if (source instanceof Module) return new Instance(source, imports);
    const module = new Module(source);
    return { module, instance: new Instance(module, imports) };
  };
  for (const [name, value] of Object.entries({ compile, instantiate }))
    Object.defineProperty(own, name, { value, writable: true, enumerable: false, configurable: true });
  for (const name of ["compileStreaming", "instantiateStreaming"]) Reflect.deleteProperty(own, name);
}
