/**
 * The time of programs and browsers in tests: each run begins at the same noon of an ordinary Wednesday. No test meets midnight, the end of
 * a month or a change of summer time, unless it is about one.
 */
const NOON_MS = Date.parse("2026-11-18T12:00:00.000Z");

/** How far that is ahead of the machine's clock; negative if it is behind. */
export const CLOCK_AHEAD_MS = NOON_MS - Date.now();

export const nowMs = (): number => Date.now() + CLOCK_AHEAD_MS;
