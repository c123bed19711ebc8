/** How a WebAssembly module is told from another by its bytes, at build time and at run time alike: FNV-1a over 32 bits, and the length. */

/** @param {Uint8Array} bytes */
export function keyOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `${bytes.length}-${hash.toString(16)}`;
}
