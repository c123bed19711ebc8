/** Salt periods, and the stored form of a generated secret, which names its period so that no other period uses it. */
import { firstDateOfPeriod, periodOf, type Calendar } from "../../storage/calendar.ts";
import type { EpochMs, LocalDate } from "../../storage/event.ts";
import { UTC_SECRET, type SecretName } from "../../storage/secret-store.ts";

/** `days` whole days of a time zone, counted from 1970-01-01. Changing `visitor_salt_rotation_days` changes all periods. */
export interface SaltPeriod {
  readonly firstDay: LocalDate;
  readonly days: number;
  readonly startMs: EpochMs;
  /** Start of the next one. */
  readonly endMs: EpochMs;
}

export function saltPeriodAt(timestampMs: EpochMs, days: number, calendar: Calendar): SaltPeriod {
  const period = periodOf(calendar.dateOf(timestampMs), days);
  const firstDay = firstDateOfPeriod(period, days);
  const endMs = calendar.startOf(firstDateOfPeriod(period + 1, days));
  return { firstDay, days, startMs: calendar.startOf(firstDay), endMs };
}

/**
 * The name under which the secret of a time zone is stored: `america-port-of-spain` for `America/Port_of_Spain`, `etc-gmt-plus-5` for
 * `Etc/GMT+5`. Two names of the database always differ in it, but two spellings of one may not.
 */
export const secretNameOf = (timeZone: string): SecretName =>
  timeZone === "UTC" ? UTC_SECRET : timeZone.toLowerCase().replaceAll("+", "-plus-").replaceAll(/[/_]/g, "-");

const SECRET_BYTES = 32;

/** Hexadecimal digits. */
export const generateSecret = (randomBytes: (length: number) => Uint8Array): string =>
  Array.from(randomBytes(SECRET_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** UTC is not named. */
export const formatPeriodSecret = (secret: string, { firstDay, days }: SaltPeriod, timeZone: string): string =>
  `${JSON.stringify({ secret, firstDay, days, ...(timeZone !== "UTC" && { timeZone }) })}\n`;

export interface PeriodSecret {
  readonly secret: string;
  readonly period: Pick<SaltPeriod, "firstDay" | "days">;
  /** Absent for UTC. */
  readonly timeZone?: string;
}

const SECRET = /^[0-9a-f]{64}$/;

/** Throws when the text is not a secret that `formatPeriodSecret` wrote. */
export function parsePeriodSecret(text: string, location: string): PeriodSecret {
  const { secret, firstDay, days, timeZone } = fieldsOf(text);
  if (typeof secret === "string" && SECRET.test(secret) && typeof firstDay === "string" && typeof days === "number") {
    const period = { firstDay: firstDay as LocalDate, days };
    if (timeZone === undefined) return { secret, period };
    if (typeof timeZone === "string") return { secret, period, timeZone };
  }
  throw damagedSecret(location);
}

/** Quotes nothing of the text, as the message of JSON.parse would. */
export const damagedSecret = (location: string): Error =>
  new Error(
    `${location} does not hold the secret that was stored there; remove it to start with a new one, which counts the visitors of the current salt period again`,
  );

function fieldsOf(json: string): Record<string, unknown> {
  try {
    return (JSON.parse(json) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
