/** Annotations of the view's dates, their places in the URL (an hour, a date, or a span from one to another), and their times in words. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isOfClock, type Interval } from "../../src/shared/periods.ts";
import { annotationsPath, fetchAnnotations, type Annotation } from "../api/saved.ts";
import { formatBucket, formatRange } from "../format/locale.ts";
import { authState } from "../state/connection.ts";
import { timeZone } from "../state/known-sites.ts";
import { today } from "../state/period.ts";
import { clearReportCache, useRequest } from "../state/requests.ts";
import { datesScope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { inZone } from "../state/time-zone.ts";
import { openPanel } from "../state/view.ts";
import type { Bucket } from "./points.ts";

/** The dialog's name in the URL. */
export const ANNOTATIONS_PANEL = "annotations";

export interface Place {
  readonly date: string;
  /** null for a whole date. */
  readonly hour: number | null;
}

export const placeText = ({ date, hour }: Place): string => (hour === null ? date : `${date}T${String(hour).padStart(2, "0")}`);

/** null for an id or an empty text. */
export function parsePlace(text: string): Place | null {
  const [, date, hour] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}))?$/.exec(text) ?? [];
  return date === undefined ? null : { date, hour: hour === undefined ? null : Number(hour) };
}

/** Both ends are included. */
interface Span {
  readonly from: Place;
  readonly to: Place;
}

const timeOf = ({ date, hour }: Place, without: number): string => placeText({ date, hour: hour ?? without });

/** An annotation without an hour stands at the beginning of its date. */
export const isWithin = ({ from, to }: Span, annotation: Annotation): boolean => {
  const time = timeOf(annotation, 0);
  return timeOf(from, 0) <= time && time <= timeOf(to, 23);
};

/** Covers the annotations of a mark: their dates, or their hours. */
export function spanText(annotations: readonly Annotation[], interval: Interval): string {
  const places = annotations.map(({ date, hour }) => placeText({ date, hour: isOfClock(interval) ? (hour ?? 0) : null })).sort();
  return `${places[0]}/${places.at(-1)}`;
}

/** null unless the text is a span. */
export function parseSpan(text: string): Span | null {
  const [from, to] = text.split("/").map(parsePlace);
  return from && to ? { from, to } : null;
}

/** A point's hour, or its first date. */
export const placeOf = (label: string, { start }: Bucket, interval: Interval): Place => ({
  date: start,
  hour: isOfClock(interval) ? Number(label.slice("2026-03-15 ".length).slice(0, 2)) : null,
});

/** Guests have no annotations. Adding one requires a password. */
export const hasAnnotations = (): boolean => !isGuest;
export const canAnnotate = (): boolean => hasAnnotations() && authState.value === "logged_in";

/** The chart point under the pointer or the arrow keys. */
export const pointedPlace = signal<Place | null>(null);

/** `at` is a place for a new annotation, an id, or a span. */
export const openAnnotations = (at: string): void => openPanel(`${ANNOTATIONS_PANEL}:${at}`);

/** Annotates the pointed place, or else today. */
export const annotatePointed = (): void => openAnnotations(placeText(pointedPlace.value ?? { date: today.value, hour: null }));

export function whenOf({ date, hour }: Place): string {
  if (hour === null) return formatBucket(date);
  return inZone(formatBucket(`${date} ${String(hour).padStart(2, "0")}:00`), timeZone.value);
}

export const spanInWords = ({ from, to }: Span): string => {
  if (placeText(from) === placeText(to)) return whenOf(from);
  return from.hour === null ? formatRange(from.date, to.date) : `${whenOf(from)} – ${whenOf(to)}`;
};

/** `Sun, 15 Mar 2026: Deployed version 1.2` */
export const annotationText = (annotation: Annotation): string => `${whenOf(annotation)}: ${annotation.text}`;

/** Number of changes on this page so far. */
const changes = signal(0);

/** Call after each change: all parts of the page then show it. */
export function annotationsChanged(): void {
  clearReportCache();
  changes.value++;
}

const NONE: readonly Annotation[] = [];

/** Empty until loaded, and if loading fails. */
export function useAnnotations(): readonly Annotation[] {
  const { data, retry } = useRequest(hasAnnotations() ? annotationsPath(datesScope.value) : null, fetchAnnotations);
  const count = changes.value;
  useEffect(() => {
    if (count > 0) retry();
  }, [count]);
  return data ?? NONE;
}
