/** Moving between cards by key: the arrow keys along the rows and columns of their grid, Home and End to its first and last. */

/** The card that a key leads to; null if there is none. */
export function cardFor(key: string, index: number, count: number, columns: number): number | null {
  const next = {
    ArrowRight: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index + columns,
    ArrowUp: index - columns,
    Home: 0,
    End: count - 1,
  }[key];
  return next !== undefined && next >= 0 && next < count ? next : null;
}
