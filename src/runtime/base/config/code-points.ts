/** How text is measured (in Unicode code points and in UTF-8 bytes) and made well-formed, so that UTF-8 can hold it. */

/** Bytes of UTF-8 that one UTF-16 unit takes at most. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

const encoder = new TextEncoder();

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Whether `text` has more than `charsMax` code points. Counts them only when the number of UTF-16 units does not decide. */
export function exceedsChars(text: string, charsMax: number): boolean {
  if (text.length <= charsMax) return false;
  // A code point takes at most two units.
  if (text.length > charsMax * 2) return true;
  return unitsOfChars(text, charsMax) < text.length;
}

/** Whether `text` has more than `bytesMax` bytes of UTF-8. The cost is bounded by `bytesMax`, however long the text is. */
export function exceedsBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * UTF8_BYTES_PER_UNIT_MAX > bytesMax && encoder.encode(text).length > bytesMax;
}

/** The first `charsMax` code points of `text`. */
export function cutToChars(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, unitsOfChars(text, charsMax));
}

/** `text` with U+FFFD for every lone surrogate, as `String.prototype.toWellFormed` (ES2024) does. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, "\uFFFD");
}

/** How many UTF-16 units the first `charsMax` code points of `text` take. */
function unitsOfChars(text: string, charsMax: number): number {
  let units = 0;
  for (let chars = 0; chars < charsMax && units < text.length; chars++) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}
