/** Types of imported files: WebAssembly, which the platform compiles before the Worker runs, and bytes. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.bin" {
  const bytes: ArrayBuffer;
  export default bytes;
}
