/** Annotations of a site: a text about one of its dates, or about an hour of it (docs/annotations.md). */
import { ANNOTATION_CHARS_MAX } from "../../shared/limits.ts";
import type { Calendar } from "../../storage/calendar.ts";
import { type EpochMs, isLocalDate, type LocalDate } from "../../storage/event.ts";
import type { JsonObject } from "../../storage/record-store.ts";
import { Body, integerField, refusedField, required, textField, trimmedField } from "../base/body.ts";
import { ANNOTATIONS_MAX } from "../base/config/admin-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { count, orNull, text } from "../base/json-schema.ts";
import type { CollectionKind, Item } from "./collection.ts";
import { ITEM_RESPONSE_FIELDS, ownerIn, SCOPE, storedOwner, type ItemOwner } from "./item-fields.ts";

const HOUR_MS = 3_600_000;
const HOURS_OF_DAY = 24;

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

export const ANNOTATION = new Body(
  {
    date: textField(text("A date of the site's calendar.", { format: "date" }), (date, name) => {
      if (isLocalDate(date)) return date;
      throw refusedField(name, "a real calendar date in the form YYYY-MM-DD", date);
    }),
    hour: integerField(orNull(count("What the site's clock showed; null for the whole day.", { maximum: HOURS_OF_DAY - 1 }))),
    text: required(trimmedField(text("What happened.", { minLength: 1, maxLength: ANNOTATION_CHARS_MAX }))),
    scope: SCOPE,
  },
  ITEM_RESPONSE_FIELDS,
);

/** Takes the date of `otherwise` if there is none. 422 for a field of the wrong type, 400 for one that breaks its rule or is unknown. */
export function parseAnnotation(body: JsonObject, caller: ItemOwner, otherwise: Moment): AnnotationFields {
  const { date, hour, text: written, scope } = ANNOTATION.parse(body);
  if (date === null && hour !== null) throw invalidInput('Field "hour" needs the field "date"');
  return { ...(date === null ? otherwise : { date, hour }), text: written, owner: ownerIn(scope, caller) };
}

function storedAnnotation({ owner, ...json }: JsonObject): AnnotationFields {
  const { date, hour, text: written } = ANNOTATION.check(ANNOTATION.read(json));
  if (date === null) throw new Error("an annotation has no date");
  return { date, hour, text: written, owner: storedOwner(owner) };
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
