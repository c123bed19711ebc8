/** The key of a WebAssembly module. The build rejects two modules with the same key. */
export function keyOf(bytes: Uint8Array): string;
