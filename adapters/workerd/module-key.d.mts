/** A short key of a module's bytes; the build refuses two modules of one key. */
export function keyOf(bytes: Uint8Array): string;
