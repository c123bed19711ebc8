/** Bytes that are UTF-8 or windows-1252. */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const windows1252 = new TextDecoder("windows-1252");

/** What 0x80 to 0x9f are in windows-1252. */
const C1 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Node decodes windows-1252 as if it were Latin-1 (https://github.com/nodejs/node/issues/56542). */
export const decoded1252 = (bytes: Uint8Array): string =>
  windows1252.decode(bytes).replaceAll(/[\u0080-\u009f]/g, (control) => C1[control.charCodeAt(0) - 0x80] ?? control);

/** UTF-8; windows-1252 for what is not valid UTF-8, which text in that encoding practically never is. */
export function decodedText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return decoded1252(bytes);
  }
}
