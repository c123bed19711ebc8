/** Files of the bundle: WebAssembly, which the platform has compiled before the Worker runs, and bytes. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.bin" {
  const bytes: ArrayBuffer;
  export default bytes;
}
