/** Salt periods, and the stored form of a generated secret, which names its period so that no other period uses it. */
import { DAY_MS, utcDayOf, type EpochMs, type UtcDay } from "../../storage/event.ts";

/** `days` whole days, counted from the Unix epoch. Changing `visitor_salt_rotation_days` changes all periods. */
export interface SaltPeriod {
  /** Index since the Unix epoch. */
  readonly number: number;
  readonly firstDay: UtcDay;
  readonly days: number;
  /** When the next one begins. */
  readonly endMs: EpochMs;
}

export const saltPeriodNumber = (timestampMs: EpochMs, days: number): number => Math.floor(Math.floor(timestampMs / DAY_MS) / days);

export function saltPeriodAt(timestampMs: EpochMs, days: number): SaltPeriod {
  const number = saltPeriodNumber(timestampMs, days);
  return { number, firstDay: utcDayOf(number * days * DAY_MS), days, endMs: (number + 1) * days * DAY_MS };
}

const SECRET_BYTES = 32;

/** In hexadecimal digits. */
export const generateSecret = (randomBytes: (length: number) => Uint8Array): string =>
  Array.from(randomBytes(SECRET_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const formatPeriodSecret = (secret: string, { firstDay, days }: SaltPeriod): string =>
  `${JSON.stringify({ secret, firstDay, days })}\n`;

export interface PeriodSecret {
  readonly secret: string;
  /** null for a secret of an older version, which belonged to no period. */
  readonly period: Pick<SaltPeriod, "firstDay" | "days"> | null;
}

const SECRET = /^[0-9a-f]{64}$/;

/** Throws when the text is not a secret that this or an older version stored. */
export function parsePeriodSecret(text: string, location: string): PeriodSecret {
  const bare = text.trim();
  if (SECRET.test(bare)) return { secret: bare, period: null };
  const { secret, firstDay, days } = fieldsOf(bare);
  if (typeof secret === "string" && SECRET.test(secret)) {
    if (firstDay === undefined && days === undefined) return { secret, period: null };
    if (typeof firstDay === "string" && typeof days === "number") return { secret, period: { firstDay: firstDay as UtcDay, days } };
  }
  // Without the message of JSON.parse, which would quote the text.
  throw new Error(
    `${location} does not hold the secret that was stored there; remove it to start with a new one, which counts the visitors of the current salt period again`,
  );
}

function fieldsOf(json: string): Record<string, unknown> {
  try {
    return (JSON.parse(json) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
