/** Exact money: hundredths as whole numbers, printed as decimals without going through a float. */

/** The shortest decimal of an amount of hundredths, e.g. 2990n → `29.9`. */
export function decimalFromCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  const fraction = digits.slice(-2).replace(/0+$/, "");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}${fraction === "" ? "" : `.${fraction}`}`;
}
