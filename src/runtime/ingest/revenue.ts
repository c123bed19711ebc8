/** Which amounts and currencies are recorded, and how an amount becomes hundredths without an error of binary fractions. */
import { REVENUE_CENTS_MAX } from "../config/limits.ts";

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

const CURRENCY = /^[A-Za-z]{3}$/;

/**
 * `amount` in hundredths, rounded half away from zero by its decimal digits: 1.005 is 101, though the double is a little less.
 * `null` when there is none, when it is not finite, or when the result is beyond `REVENUE_CENTS_MAX`. Never -0.
 */
export function parseRevenue(amount: number | null): number | null {
  if (amount === null || !Number.isFinite(amount)) return null;
  const decimal = DECIMAL.exec(String(amount));
  // Written with an exponent: 1e21 and more, or less than a millionth.
  if (decimal === null) return Math.abs(amount) < 1 ? 0 : null;
  const [, sign, whole = "", fraction = ""] = decimal;
  const roundsUp = fraction.charAt(2) >= "5";
  // Exact: a number of so few digits is far below 2^53, and a longer one is refused.
  const cents = Number(whole + fraction.slice(0, 2).padEnd(2, "0")) + (roundsUp ? 1 : 0);
  if (cents > REVENUE_CENTS_MAX) return null;
  return sign === "-" && cents > 0 ? -cents : cents;
}

/** A code of three ASCII letters in capitals; `null` for anything else. */
export function parseCurrency(code: string | null): string | null {
  return code !== null && CURRENCY.test(code) ? code.toUpperCase() : null;
}
