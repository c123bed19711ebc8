/** Pinned sites, which the browser remembers, and the order in which number keys open sites: on every page the same. */
import { signal } from "@preact/signals";
import { store, stored } from "../api/stored.ts";
import { nameOf } from "./known-sites.ts";

const STORAGE_KEY = "sandpiper.pinned";

function storedPins(): readonly string[] {
  try {
    const pinned: unknown = JSON.parse(stored("local", STORAGE_KEY) ?? "[]");
    return Array.isArray(pinned) ? pinned.map(String) : [];
  } catch {
    return [];
  }
}

const pinned = signal(storedPins());

export const isPinned = (siteId: string): boolean => pinned.value.includes(siteId);

export function togglePin(siteId: string): void {
  pinned.value = isPinned(siteId) ? pinned.value.filter((other) => other !== siteId) : [...pinned.value, siteId];
  store("local", STORAGE_KEY, JSON.stringify(pinned.value));
}

/** Pinned sites first, then by name. */
export const inKeyOrder = (sites: readonly string[]): readonly string[] =>
  sites.toSorted((a, b) => Number(isPinned(b)) - Number(isPinned(a)) || nameOf(a).localeCompare(nameOf(b)));

const KEYS_MAX = 9;

/** The number key that opens a site; null beyond the ninth. */
export function keyOf(siteId: string, ordered: readonly string[]): string | null {
  const index = ordered.indexOf(siteId);
  return index >= 0 && index < KEYS_MAX ? String(index + 1) : null;
}

/** Undefined for other keys. */
export const siteOfKey = (key: string, ordered: readonly string[]): string | undefined =>
  /^[1-9]$/.test(key) ? ordered[Number(key) - 1] : undefined;
