/** Types of what the platform provides to imports: WebAssembly, which it compiles before the Worker runs, bytes, and its own module. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.bin" {
  const bytes: ArrayBuffer;
  export default bytes;
}

declare module "*/precompiled-table.js" {
  export const PRECOMPILED: ReadonlyMap<string, WebAssembly.Module>;
}

/** The base class of objects whose methods other objects and the Worker call (https://developers.cloudflare.com/durable-objects/api/base/). */
declare module "cloudflare:workers" {
  export abstract class DurableObject<State, Environment> {
    protected readonly ctx: State;
    protected readonly env: Environment;
    constructor(ctx: State, env: Environment);
  }
}
