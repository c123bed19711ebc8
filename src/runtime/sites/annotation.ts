/** Annotations of a site: a text about one of its dates, or about an hour of it (docs/annotations.md). */
import { ANNOTATION_CHARS_MAX } from "../../shared/limits.ts";
import type { Calendar } from "../../storage/calendar.ts";
import { isLocalDate, type EpochMs, type LocalDate } from "../../storage/event.ts";
import type { JsonObject } from "../../storage/json-record.ts";
import { ANNOTATIONS_MAX } from "../base/config/admin-limits.ts";
import { fieldOf, malformedBody, optionalText } from "../base/config/json-fields.ts";
import { invalidInput } from "../base/errors.ts";
import type { CollectionKind, Item } from "./collection.ts";
import { refuseUnknownItemFields, trimmedText, parseOwner, storedOwner, type ItemOwner } from "./item-fields.ts";

const HOUR_MS = 3_600_000;
const HOURS_OF_DAY = 24;
export const HOUR_MAX = HOURS_OF_DAY - 1;

/** A date of the site's calendar, and what the site's clock showed: null for the whole day. */
interface Moment {
  readonly date: LocalDate;
  readonly hour: number | null;
}

export interface AnnotationFields extends Moment {
  readonly text: string;
  readonly owner: ItemOwner;
}

export type Annotation = Item<AnnotationFields>;

/** The hour that the site's clock shows. */
export function momentAt(timestampMs: EpochMs, calendar: Calendar): Moment {
  const [{ offsetMs } = { offsetMs: 0 }] = calendar.offsetsBetween(timestampMs, timestampMs + 1);
  const hours = Math.floor((timestampMs + offsetMs) / HOUR_MS);
  return { date: calendar.dateOf(timestampMs), hour: ((hours % HOURS_OF_DAY) + HOURS_OF_DAY) % HOURS_OF_DAY };
}

function parseHour(body: JsonObject): number | null {
  const hour = fieldOf(body, "hour");
  if (hour !== null && typeof hour !== "number") throw malformedBody('Field "hour" must be a number');
  if (hour === null || (Number.isInteger(hour) && hour >= 0 && hour <= HOUR_MAX)) return hour;
  throw invalidInput(`Field "hour" must be an integer from 0 to ${HOUR_MAX}`);
}

/** null without a date. */
function parseMoment(body: JsonObject): Moment | null {
  const [date, hour] = [optionalText(body, "date"), parseHour(body)];
  if (date !== null && !isLocalDate(date)) throw invalidInput('Field "date" must be a real calendar date in the form YYYY-MM-DD');
  if (date === null && hour !== null) throw invalidInput('Field "hour" needs the field "date"');
  return date === null ? null : { date, hour };
}

const parseText = (body: JsonObject): string => trimmedText(body, "text", ANNOTATION_CHARS_MAX);

/** Takes the date of `otherwise` if there is none. 422 for a field of the wrong type, 400 for one that breaks its rule or is unknown. */
export function parseAnnotation(body: JsonObject, caller: ItemOwner, otherwise: Moment): AnnotationFields {
  refuseUnknownItemFields(body, ["date", "hour", "text", "scope"]);
  return { ...(parseMoment(body) ?? otherwise), text: parseText(body), owner: parseOwner(body, caller) };
}

function storedAnnotation(json: JsonObject): AnnotationFields {
  const moment = parseMoment(json);
  if (moment === null) throw new Error("an annotation has no date");
  return { ...moment, text: parseText(json), owner: storedOwner(json) };
}

export const ANNOTATION_KIND: CollectionKind<AnnotationFields> = {
  name: "annotations",
  itemsMax: ANNOTATIONS_MAX,
  json: (fields) => ({ ...fields }),
  parse: storedAnnotation,
};

const order = ({ fields: { date, hour }, createdAt }: Annotation): string => `${date} ${String(hour ?? 0).padStart(2, "0")} ${createdAt}`;

/** Sorts by date and hour, then in order of creation. */
export const byMoment = (annotations: readonly Annotation[]): Annotation[] =>
  annotations.toSorted((a, b) => (order(a) < order(b) ? -1 : Number(order(a) > order(b))));
