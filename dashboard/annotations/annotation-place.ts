/** How the URL names a place for annotations: `annotations:2026-03-15` for a date, `annotations:2026-03-15T14` for an hour, or an id. */
import { signal } from "@preact/signals";
import { isOfClock, type Bucket, type Interval } from "../charts/buckets.ts";
import { authState } from "../state/connection.ts";
import { today } from "../state/period.ts";
import { isViewer } from "../state/share.ts";
import { openPanel } from "../state/view.ts";

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

/** Of a point: its hour, or the first of its dates. */
export const placeOf = (label: string, { start }: Bucket, interval: Interval): Place => ({
  date: start,
  hour: isOfClock(interval) ? Number(label.slice("2026-03-15 ".length).slice(0, 2)) : null,
});

/** Whether the reader may have annotations. Without a password, nobody can add any. */
export const hasAnnotations = (): boolean => !isViewer;
export const canAnnotate = (): boolean => hasAnnotations() && authState.value === "logged_in";

/** The point of the chart that the pointer or the arrow keys are at. */
export const pointedPlace = signal<Place | null>(null);

/** Opens the dialog for a new one at a place, or for the one with an id. */
export const openAnnotations = (at: string): void => openPanel(`${ANNOTATIONS_PANEL}:${at}`);

/** For a new one where the chart is pointed at, else today. */
export const annotatePointed = (): void => openAnnotations(placeText(pointedPlace.value ?? { date: today.value, hour: null }));
