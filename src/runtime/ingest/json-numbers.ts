/** JSON numbers with more digits than a JavaScript number holds: they pass through `JSON.parse` and `JSON.stringify` as they were sent. */

/** Only a text with one of these can have such a number: 15 significant digits and any exponent of two digits always survive. */
const MAY_LOSE_DIGITS = /[\d.]{16}|[eE][+-]?\d{3}/;

/** The strings and numbers of a text that is known to be JSON. A string with a colon behind it is a key. */
const TOKENS = /"(?:[^"\\]+|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const mayLoseDigits = (json: string): boolean => MAY_LOSE_DIGITS.test(json);

/** The first places of string values while numbers travel as strings: what was a string, and what was a number. */
const STRING_MARK = "s";
const NUMBER_MARK = "n";

/** `json` with each number that would lose digits as a string. Every string value is marked, so that `unprotectNumbers` knows them apart. */
export function protectNumbers(json: string): string {
  return json.replace(TOKENS, (token: string, colon: string | undefined) => {
    if (colon !== undefined) return token;
    if (token.startsWith('"')) return `"${STRING_MARK}${token.slice(1)}`;
    return survives(token) ? token : `"${NUMBER_MARK}${token}"`;
  });
}

/** Takes back what `protectNumbers` did, also after the JSON was parsed and written again. */
export function unprotectNumbers(json: string): string {
  return json.replace(TOKENS, (token: string, colon: string | undefined) => {
    if (colon !== undefined || !token.startsWith('"')) return token;
    return token[1] === NUMBER_MARK ? token.slice(2, -1) : `"${token.slice(2)}`;
  });
}

/** Whether `JSON.stringify` writes a number of the same value, perhaps in other words. */
function survives(literal: string): boolean {
  const number = Number(literal);
  return Number.isFinite(number) && decimalOf(literal) === decimalOf(String(number));
}

/** Equal for two literals if and only if they stand for the same number. */
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
