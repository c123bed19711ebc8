/** When an annotation is, in words: its date, or its hour by the site's clock. */
import type { Annotation } from "../api/annotations.ts";
import { formatBucket } from "../format/locale.ts";
import { timeZone } from "../state/known-sites.ts";
import { inZone } from "../state/time-zone.ts";

export function whenOf({ date, hour }: Annotation): string {
  if (hour === null) return formatBucket(date);
  return inZone(formatBucket(`${date} ${String(hour).padStart(2, "0")}:00`), timeZone.value);
}

/** E.g. `Sun, 15 Mar 2026: Deployed version 1.2`. */
export const annotationText = (annotation: Annotation): string => `${whenOf(annotation)}: ${annotation.text}`;
