/** The offset of a time zone from UTC at any instant, from the host's own copy of the IANA time zone database (`Intl`). */
import { DAY_MS, type EpochMs } from "./event.ts";

/** Local time is UTC plus the offset from this instant on. */
export interface OffsetChange {
  readonly fromMs: EpochMs;
  readonly offsetMs: number;
}

/** Offsets are looked up once a day in windows of this length: in the database, none lasts less than three days. */
const WINDOW_DAYS = 128;
const WINDOW_MS = WINDOW_DAYS * DAY_MS;

/** Windows that a zone remembers: 35 years. */
const WINDOWS_MAX = 100;

/** Zones that are remembered; the database has some 600 names. Their formats take memory, and sites share zones. */
const ZONES_MAX = 1000;

/** Longer than any name of the database. */
const NAME_CHARS_MAX = 40;

/** `Europe/Berlin`, `America/Port_of_Spain`, `Etc/GMT+5`: each part of a name in the database begins with a capital letter. */
const NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

const NUMERIC = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;

function formatIn(name: string): Intl.DateTimeFormat | null {
  if (name.length > NAME_CHARS_MAX || !NAME.test(name)) return null;
  try {
    const options = { ...NUMERIC, era: "short", hourCycle: "h23", timeZone: name } as const;
    const format = new Intl.DateTimeFormat("en-US-u-ca-gregory", options);
    // An alias may come back as the name that it stands for; then its spelling cannot be checked.
    const { timeZone: spelled } = format.resolvedOptions();
    return spelled !== name && spelled.toLowerCase() === name.toLowerCase() ? null : format;
  } catch {
    return null;
  }
}

export class TimeZone {
  /** The given name: hosts differ in which of two equal names they prefer. */
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #windows = new Map<number, readonly OffsetChange[]>();
  /** The last change that was looked up, and the instant before which it holds. */
  #latest = { fromMs: 0, offsetMs: 0, beforeMs: 0 };

  static readonly #known = new Map<string, TimeZone>();

  private constructor(name: string, format: Intl.DateTimeFormat) {
    this.name = name;
    this.#format = format;
  }

  /**
   * null for unknown names and non-canonical spelling (best effort: some hosts hide the canonical name of an alias such as `US/Pacific`).
   * Offsets such as `+02:00` are not names: they would ignore daylight saving time.
   */
  static named(name: string): TimeZone | null {
    const known = TimeZone.#known.get(name);
    if (known) return known;
    const format = formatIn(name);
    if (format === null) return null;
    if (TimeZone.#known.size >= ZONES_MAX) TimeZone.#known.clear();
    const zone = new TimeZone(name, format);
    TimeZone.#known.set(name, zone);
    return zone;
  }

  /** Milliseconds east of UTC. */
  offsetAt(ms: EpochMs): number {
    const latest = this.#latest;
    if (ms >= latest.fromMs && ms < latest.beforeMs) return latest.offsetMs;
    const changes = this.#window(Math.floor(ms / WINDOW_MS));
    const i = changes.findLastIndex(({ fromMs }) => fromMs <= ms);
    const { fromMs, offsetMs } = changes[Math.max(i, 0)] as OffsetChange;
    const beforeMs = changes[i + 1]?.fromMs ?? (Math.floor(ms / WINDOW_MS) + 1) * WINDOW_MS;
    this.#latest = { fromMs, offsetMs, beforeMs };
    return offsetMs;
  }

  /** The offset at the first instant, and its changes up to before the second; oldest first. */
  offsetsBetween(startMs: EpochMs, endMs: EpochMs): readonly OffsetChange[] {
    const changes: OffsetChange[] = [{ fromMs: startMs, offsetMs: this.offsetAt(startMs) }];
    for (let window = Math.floor(startMs / WINDOW_MS); window * WINDOW_MS < endMs; window++) {
      for (const change of this.#window(window)) {
        const isNew = change.offsetMs !== changes.at(-1)?.offsetMs;
        if (isNew && change.fromMs > startMs && change.fromMs < endMs) changes.push(change);
      }
    }
    return changes;
  }

  #window(number: number): readonly OffsetChange[] {
    const known = this.#windows.get(number);
    if (known) return known;
    if (this.#windows.size >= WINDOWS_MAX) this.#windows.clear();
    const changes = this.#changesIn(number * WINDOW_MS);
    this.#windows.set(number, changes);
    return changes;
  }

  #changesIn(startMs: EpochMs): OffsetChange[] {
    const changes = [{ fromMs: startMs, offsetMs: this.#formatted(startMs) }];
    for (let ms = startMs; ms < startMs + WINDOW_MS; ms += DAY_MS) {
      const { offsetMs: before } = changes.at(-1) as OffsetChange;
      const after = this.#formatted(ms + DAY_MS);
      if (after !== before) changes.push({ fromMs: this.#changeWithin(ms, ms + DAY_MS, before), offsetMs: after });
    }
    return changes.filter(({ fromMs }) => fromMs < startMs + WINDOW_MS);
  }

  /** The first second of the interval whose offset is no longer that of its begin. */
  #changeWithin(beginMs: EpochMs, endMs: EpochMs, before: number): EpochMs {
    let [low, high] = [beginMs / 1000, endMs / 1000];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#formatted(middle * 1000) === before) low = middle;
      else high = middle;
    }
    return high * 1000;
  }

  /** Takes a whole second. */
  #formatted(ms: EpochMs): number {
    const parts: Record<string, string> = {};
    for (const { type, value } of this.#format.formatToParts(ms)) parts[type] = value;
    const year = Number(parts.year) * (parts.era === "BC" ? -1 : 1) + (parts.era === "BC" ? 1 : 0);
    const local = new Date(0).setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    return local + Number(parts.hour) * 3_600_000 + Number(parts.minute) * 60_000 + Number(parts.second) * 1000 - ms;
  }
}
