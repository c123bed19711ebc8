/** The recorded amounts and currencies; amounts are rounded to hundredths exactly (docs/http-api.md, "Revenue"). */
import { REVENUE_CENTS_MAX } from "../base/config/limits.ts";

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

const CURRENCY = /^[A-Za-z]{3}$/;

/**
 * `amount` in hundredths, rounded half away from zero by its decimal digits: 1.005 gives 101, although the double is slightly
 * less. `null` when it is absent, not finite, or beyond `REVENUE_CENTS_MAX`. Never -0.
 */
export function parseRevenue(amount: number | null): number | null {
  if (amount === null || !Number.isFinite(amount)) return null;
  const decimal = DECIMAL.exec(String(amount));
  // In exponential notation: at least 1e21, or less than a millionth.
  if (decimal === null) return Math.abs(amount) < 1 ? 0 : null;
  const [, sign, whole = "", fraction = ""] = decimal;
  const roundsUp = fraction.charAt(2) >= "5";
  // Exact: an amount within the limit is far below 2^53.
  const cents = Number(whole + fraction.slice(0, 2).padEnd(2, "0")) + (roundsUp ? 1 : 0);
  if (cents > REVENUE_CENTS_MAX) return null;
  return sign === "-" && cents > 0 ? -cents : cents;
}

/** Three ASCII letters, in capitals; `null` for anything else. */
export function parseCurrency(code: string | null): string | null {
  return code !== null && CURRENCY.test(code) ? code.toUpperCase() : null;
}
