/** Quoted values of log lines, and how servers escape characters in them. */

const BACKSLASH = 92;
const SPACE = 32;

/** Whether an odd number of backslashes stands before this place, which is at least `from`. */
function isEscaped(line: string, at: number, from: number): boolean {
  let start = at;
  while (start > from && line.charCodeAt(start - 1) === BACKSLASH) start--;
  return (at - start) % 2 === 1;
}

/**
 * The place of the quotation mark that ends the value beginning at `from`; -1 if there is none. One inside the value is followed by something
 * other than a blank: some servers do not escape it.
 */
export function quoteEnd(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 1)) {
    const isLast = at + 1 === line.length || line.charCodeAt(at + 1) === SPACE;
    if (isLast && !isEscaped(line, at, from)) return at;
  }
  return -1;
}

const BYTES = /(?:\\x[\dA-Fa-f]{2})+/g;
const CHARACTER = /\\(.)/g;
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", v: "\v", f: "\f" };

const decoder = new TextDecoder();

/** Decodes `\xHH`, as nginx and Apache write it, and characters after a backslash. */
export function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text
    .replace(BYTES, (bytes) => decoder.decode(Uint8Array.from(bytes.match(/[\dA-Fa-f]{2}/g) ?? [], (hex) => Number.parseInt(hex, 16))))
    .replace(CHARACTER, (_, character: string) => CONTROLS[character] ?? character);
}
