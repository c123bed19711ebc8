/** Random texts as secrets of this browser, and as ids of its requests. */
const BYTES = 24;

/** 32 letters, digits, `-` and `_` that nobody can guess. */
export const randomText = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
