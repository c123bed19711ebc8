/** Keeps JSON numbers with more digits than a JavaScript number unchanged through `JSON.parse` and `JSON.stringify`. */

/** Only text that matches can hold such a number: 15 significant digits and two-digit exponents are always exact. */
const MAY_LOSE_DIGITS = /[\d.]{16}|[eE][+-]?\d{3}/;

/** The strings and numbers of valid JSON. A string followed by a colon is a key. */
const TOKENS = /"(?:[^"\\]+|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const mayLoseDigits = (json: string): boolean => MAY_LOSE_DIGITS.test(json);

/** First character of every string value while long numbers are strings: tells strings and numbers apart. */
const STRING_MARK = "s";
const NUMBER_MARK = "n";

/** `json` with each number that would lose digits as a string. Every string value gets a mark, for `unprotectNumbers`. */
export function protectNumbers(json: string): string {
  return json.replace(TOKENS, (token: string, colon: string | undefined) => {
    if (colon !== undefined) return token;
    if (token.startsWith('"')) return `"${STRING_MARK}${token.slice(1)}`;
    return isExact(token) ? token : `"${NUMBER_MARK}${token}"`;
  });
}

/** Reverts `protectNumbers`, also after the JSON was parsed and serialised again. */
export function unprotectNumbers(json: string): string {
  return json.replace(TOKENS, (token: string, colon: string | undefined) => {
    if (colon !== undefined || !token.startsWith('"')) return token;
    return token[1] === NUMBER_MARK ? token.slice(2, -1) : `"${token.slice(2)}`;
  });
}

/** True if `JSON.stringify` writes a number of the same value, possibly in another notation. */
function isExact(literal: string): boolean {
  const number = Number(literal);
  return Number.isFinite(number) && decimalOf(literal) === decimalOf(String(number));
}

/** A canonical form: equal for two literals if and only if they have the same value. */
function decimalOf(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(literal) ?? [];
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === "0") start++;
  if (start === end) return "0";
  while (digits[end - 1] === "0") end--;
  const scale = Number(exponent) - fraction.length + digits.length - end;
  return `${sign}${digits.slice(start, end)}e${scale}`;
}
