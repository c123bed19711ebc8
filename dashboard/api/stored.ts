/** Values in browser storage. Frames of other sites may have none: then values last as long as the page. */

type Area = "local" | "session";

const memory = new Map<string, string>();

/** Where storage is blocked, reading the property throws. */
function areaOf(area: Area): Storage | null {
  try {
    return area === "local" ? localStorage : sessionStorage;
  } catch {
    return null;
  }
}

export const stored = (area: Area, key: string): string | null => areaOf(area)?.getItem(key) ?? memory.get(key) ?? null;

/** null removes the value. */
export function store(area: Area, key: string, value: string | null): void {
  if (value === null) memory.delete(key);
  else memory.set(key, value);
  try {
    if (value === null) areaOf(area)?.removeItem(key);
    else areaOf(area)?.setItem(key, value);
  } catch {
    // Full, or refused: the value in memory serves.
  }
}
