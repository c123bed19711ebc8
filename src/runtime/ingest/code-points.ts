/** What limits of text count (characters are Unicode code points, bytes those of UTF-8), and what text is fit to be stored (well-formed). */

/** Longest UTF-8 encoding of one UTF-16 unit. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

const encoder = new TextEncoder();

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Whether `text` has more than `charsMax` code points. Constant time unless it has code points beyond U+FFFF. */
export function exceedsChars(text: string, charsMax: number): boolean {
  if (text.length <= charsMax) return false;
  // A code point takes at most two units.
  if (text.length > charsMax * 2) return true;
  return unitsOfChars(text, charsMax) < text.length;
}

/** Whether `text` takes more than `bytesMax` bytes as UTF-8. Its cost is bounded by `bytesMax`, not by the text. */
export function exceedsBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * UTF8_BYTES_PER_UNIT_MAX > bytesMax && encoder.encode(text).length > bytesMax;
}

/** The first `charsMax` code points of `text`. */
export function cutToChars(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, unitsOfChars(text, charsMax));
}

/** `text` with U+FFFD for every surrogate that has no partner: what UTF-8 can hold and give back unchanged. */
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
