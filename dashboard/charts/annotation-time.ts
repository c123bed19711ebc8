/** When annotations are, in words: their dates, or their hours by the site's clock. */
import type { Annotation } from "../api/annotations.ts";
import { formatBucket, formatRange } from "../format/locale.ts";
import { timeZone } from "../state/known-sites.ts";
import { inZone } from "../state/time-zone.ts";
import { placeText, type Place, type Span } from "./annotation-place.ts";

export function whenOf({ date, hour }: Place): string {
  if (hour === null) return formatBucket(date);
  return inZone(formatBucket(`${date} ${String(hour).padStart(2, "0")}:00`), timeZone.value);
}

export const spanInWords = ({ from, to }: Span): string => {
  if (placeText(from) === placeText(to)) return whenOf(from);
  return from.hour === null ? formatRange(from.date, to.date) : `${whenOf(from)} – ${whenOf(to)}`;
};

/** E.g. `Sun, 15 Mar 2026: Deployed version 1.2`. */
export const annotationText = (annotation: Annotation): string => `${whenOf(annotation)}: ${annotation.text}`;
