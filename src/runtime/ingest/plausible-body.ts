/**
 * Bodies as Plausible's clients send them, read as a body of `POST /api/event` (docs/http-api.md). What the contract names wins, and a
 * value of another type than theirs is ignored like any unknown field: a body that was accepted without them still is.
 */
import type { JsonObject } from "../../storage/record-store.ts";
import { fieldOf, isObject } from "../base/body.ts";
import { ENGAGED_SECONDS_MAX, EVENT_SITES_MAX, PROPS_CHARS_MAX } from "../base/config/limits.ts";
import { invalidInput } from "../base/errors.ts";
import { type Json, parseJson } from "./props.ts";

const REQUIRED = ["d", "n", "u"] as const;

/** Names of a body without one of the required fields, which is none of the contract's. */
const LONG_NAMES = { domain: "d", name: "n", url: "u", referrer: "r" } as const;

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** The body with the contract's names. `text` is the body as it was sent. */
export function withContractNames(body: JsonObject, text: string): JsonObject {
  const isLong = REQUIRED.some((name) => fieldOf(body, name) === null);
  const isPassive = fieldOf(body, "interactive") === null && fieldOf(body, "i") === false;
  const added = {
    ...(isLong && requiredIn(body)),
    ...propsIn(body, text, isLong),
    ...revenueIn(body, isLong),
    ...(isPassive && { interactive: false }),
  };
  const named: JsonObject = Object.keys(added).length === 0 ? body : { ...body, ...added };
  return isEngagement(named) ? { ...named, e: Math.round(engagedMsOf(named) / 1000) } : named;
}

function requiredIn(body: JsonObject): JsonObject {
  const named = Object.entries(LONG_NAMES).map(([long, short]) => [short, fieldOf(body, short) ?? fieldOf(body, long)] as const);
  return Object.fromEntries(named.filter(([, value]) => typeof value === "string"));
}

/** A ping about the time on a page and how far it was scrolled (`sd`), which is no event. */
export const isEngagement = (body: JsonObject): boolean =>
  fieldOf(body, "n") === "engagement" && typeof fieldOf(body, "sd") === "number" && typeof fieldOf(body, "e") === "number";

/** The time of such a ping, as it was sent. */
export const engagedMsOf = (body: JsonObject): number =>
  Math.min(Math.max(Math.round(fieldOf(body, "e") as number), 0), ENGAGED_SECONDS_MAX * 1000);

function propsIn(body: JsonObject, text: string, isLong: boolean): JsonObject {
  const name = isLong && fieldOf(body, "p") === null ? "props" : "p";
  if (!isObject(fieldOf(body, name))) return {};
  // Read again, because `JSON.parse` may mistake keys.
  return { p: textOf((parseJson(text) as Record<string, Json>)[name] ?? {}) };
}

function textOf(props: Json): string {
  try {
    return JSON.stringify(props);
  } catch {
    // Nested deeper than the stack allows, and so far longer than allowed.
    throw invalidInput(`Field "p" must be at most ${PROPS_CHARS_MAX} characters`);
  }
}

function revenueIn(body: JsonObject, isLong: boolean): JsonObject {
  const revenue = fieldOf(body, "$") ?? (isLong ? fieldOf(body, "revenue") : null);
  if (!isObject(revenue) || fieldOf(body, "ra") !== null || fieldOf(body, "rc") !== null) return {};
  const [amount, currency] = [fieldOf(revenue, "amount"), fieldOf(revenue, "currency")];
  const number = typeof amount === "string" && DECIMAL.test(amount) ? Number(amount) : amount;
  if (typeof number !== "number" || typeof currency !== "string" || !/^[A-Za-z]{3}$/.test(currency)) return {};
  return { ra: number, rc: currency };
}

/** The sites of a `d` that names several; only itself if it does not, or names too many. */
export function sitesNamedBy(d: string): readonly string[] {
  if (!d.includes(",")) return [d];
  const names = new Set(d.split(",", EVENT_SITES_MAX + 1).flatMap((name) => name.trim() || []));
  return names.size === 0 || names.size > EVENT_SITES_MAX ? [d] : [...names];
}
