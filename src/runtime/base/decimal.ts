/** Exact money: hundredths as integers, printed as decimals without going through a float. */

/** A number in JSON notation, which may have more digits than a JavaScript number holds. */
export class Decimal {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** The shortest decimal of an amount of hundredths, e.g. 2990n → `29.9`. */
export function decimalFromCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  const fraction = digits.slice(-2).replace(/0+$/, "");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}${fraction === "" ? "" : `.${fraction}`}`;
}
