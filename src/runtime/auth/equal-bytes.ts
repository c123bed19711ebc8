/** How secrets are compared: in a time that does not depend on where they differ. */

/** Whether two byte strings are the same. Every byte is looked at, whatever the earlier ones were; only the lengths may show. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
