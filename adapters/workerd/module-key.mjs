/** The key of a WebAssembly module, the same at build time and at run time: its length, and FNV-1a over 32 bits. */

/** @param {Uint8Array} bytes */
export function keyOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `${bytes.length}-${hash.toString(16)}`;
}
