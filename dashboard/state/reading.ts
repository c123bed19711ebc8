/** The reports that take their time, for the one announcement of all of them. */
import { signal } from "@preact/signals";
import type { Reading } from "../api/progress.ts";

/** Screen readers speak an announcement for seconds. */
const ANNOUNCED_MS_MIN = 15_000;

const slow = new Set<object>();
let announcedAtMs = 0;

/** What to announce; null once no report takes its time. */
export const announced = signal<Reading | null>(null);

/** `reading` is null once the request has ended. */
export function noteReading(request: object, reading: Reading | null, nowMs = performance.now()): void {
  if (reading) slow.add(request);
  else slow.delete(request);
  if (slow.size === 0) announced.value = null;
  if (!reading || (announced.value !== null && nowMs - announcedAtMs < ANNOUNCED_MS_MIN)) return;
  announced.value = reading;
  announcedAtMs = nowMs;
}
