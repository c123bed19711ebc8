/** Annotations of the view: those of its dates, how the URL names their places, and when they are, in words. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isOfClock, type Interval } from "../../src/shared/periods.ts";
import { annotationsPath, fetchAnnotations, type Annotation } from "../api/saved.ts";
import { formatBucket, formatRange } from "../format/locale.ts";
import { authState } from "../state/connection.ts";
import { timeZone } from "../state/known-sites.ts";
import { today } from "../state/period.ts";
import { clearReportCache, useRequest } from "../state/requests.ts";
import { unfilteredScope } from "../state/scope.ts";
import { isGuest } from "../state/share.ts";
import { inZone } from "../state/time-zone.ts";
import { openPanel } from "../state/view.ts";
import type { Bucket } from "./buckets.ts";

/** The dialog's name. */
export const ANNOTATIONS_PANEL = "annotations";

export interface Place {
  readonly date: string;
  /** Null for the whole date. */
  readonly hour: number | null;
}

export const placeText = ({ date, hour }: Place): string => (hour === null ? date : `${date}T${String(hour).padStart(2, "0")}`);

/** Null for an id, and for nothing. */
export function parsePlace(text: string): Place | null {
  const [, date, hour] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}))?$/.exec(text) ?? [];
  return date === undefined ? null : { date, hour: hour === undefined ? null : Number(hour) };
}

/** From one place to another, both included. */
interface Span {
  readonly from: Place;
  readonly to: Place;
}

const timeOf = ({ date, hour }: Place, without: number): string => placeText({ date, hour: hour ?? without });

/** Without an hour, an annotation is where its date begins. */
export const isWithin = ({ from, to }: Span, annotation: Annotation): boolean => {
  const time = timeOf(annotation, 0);
  return timeOf(from, 0) <= time && time <= timeOf(to, 23);
};

/** Of the annotations of a mark: their dates, or their hours. */
export function spanText(annotations: readonly Annotation[], interval: Interval): string {
  const places = annotations.map(({ date, hour }) => placeText({ date, hour: isOfClock(interval) ? (hour ?? 0) : null })).sort();
  return `${places[0]}/${places.at(-1)}`;
}

/** Null for anything else. */
export function parseSpan(text: string): Span | null {
  const [from, to] = text.split("/").map(parsePlace);
  return from && to ? { from, to } : null;
}

/** Of a point: its hour, or the first of its dates. */
export const placeOf = (label: string, { start }: Bucket, interval: Interval): Place => ({
  date: start,
  hour: isOfClock(interval) ? Number(label.slice("2026-03-15 ".length).slice(0, 2)) : null,
});

/** Whether the reader may have annotations. Without a password, nobody can add any. */
export const hasAnnotations = (): boolean => !isGuest;
export const canAnnotate = (): boolean => hasAnnotations() && authState.value === "logged_in";

/** The point of the chart that the pointer or the arrow keys are at. */
export const pointedPlace = signal<Place | null>(null);

/** Opens the dialog for a new one at a place, for the one with an id, or for those of a span. */
export const openAnnotations = (at: string): void => openPanel(`${ANNOTATIONS_PANEL}:${at}`);

/** For a new one where the chart is pointed at, else today. */
export const annotatePointed = (): void => openAnnotations(placeText(pointedPlace.value ?? { date: today.value, hour: null }));

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

/** How often one was added, changed or deleted on this page. */
const changes = signal(0);

/** To be called after each change, so that all parts of the page show it. */
export function annotationsChanged(): void {
  clearReportCache();
  changes.value++;
}

const NONE: readonly Annotation[] = [];

/** None until they have loaded, and where they cannot be. */
export function useAnnotations(): readonly Annotation[] {
  const { data, retry } = useRequest(hasAnnotations() ? annotationsPath(unfilteredScope.value) : null, fetchAnnotations);
  const count = changes.value;
  useEffect(() => {
    if (count > 0) retry();
  }, [count]);
  return data ?? NONE;
}
