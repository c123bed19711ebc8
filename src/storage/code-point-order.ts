/** The order of texts by code point, which is that of their UTF-8 bytes and DuckDB's. JavaScript's own compares UTF-16 units. */

const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Surrogates stand for the code points above all others, but some units are greater. */
function rankOf(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x10000 : unit;
}

/** Negative if `a` comes first. Both must be well-formed. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [unit, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (unit !== other) return rankOf(unit) - rankOf(other);
  }
  return a.length - b.length;
}
