/** Which screen widths are believed. */

/** Wider than any wall of screens: what is above is a mistake or a joke. */
const SCREEN_WIDTH_MAX = 99_999;

/** `width` in whole CSS pixels, from 1 to 99,999; `null` when it rounds to none of these. */
export function parseScreenWidth(width: number | null): number | null {
  if (width === null) return null;
  const pixels = Math.round(width);
  return pixels >= 1 && pixels <= SCREEN_WIDTH_MAX ? pixels : null;
}
