/** Heights of parts that load: each had one when it was last loaded, and takes it again until it has loaded anew. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { store, stored } from "../api/stored.ts";

const STORAGE_KEY = "sandpiper.heights";

/** Bound of the storage: the parts that were not seen for longest are forgotten. */
const HEIGHTS_MAX = 100;

/** Heights in CSS pixels, in the order of their last use. */
function storedHeights(): Map<string, number> {
  try {
    const pairs: unknown = JSON.parse(stored("local", STORAGE_KEY) ?? "[]");
    return new Map(Array.isArray(pairs) ? pairs.filter((pair) => Array.isArray(pair) && typeof pair[1] === "number") : []);
  } catch {
    return new Map();
  }
}

const heights = storedHeights();

function keep(key: string, height: number): void {
  if (heights.get(key) === height) return;
  heights.delete(key);
  heights.set(key, height);
  for (const oldest of [...heights.keys()].slice(0, -HEIGHTS_MAX)) heights.delete(oldest);
  store("local", STORAGE_KEY, JSON.stringify([...heights]));
}

/** The style reads it where placeholders stand for what loads. */
const HEIGHT_PROPERTY = "--loaded-height";

/** `key` names what is shown: its height is no one else's. */
export function useKeptHeight<E extends HTMLElement>(key: string): RefObject<E | null> {
  const ref = useRef<E>(null);
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return undefined;
    const known = heights.get(key);
    // Else it keeps the height of what it showed before.
    if (known !== undefined) box.style.setProperty(HEIGHT_PROPERTY, `${known}px`);
    const observer = new ResizeObserver(() => {
      if (box.querySelector(".skeleton")) return;
      keep(key, box.offsetHeight);
      box.style.setProperty(HEIGHT_PROPERTY, `${box.offsetHeight}px`);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [key]);
  return ref;
}
