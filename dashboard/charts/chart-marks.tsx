/** The marks of annotations on the main chart. */
import { useState } from "preact/hooks";
import type { Interval } from "../../src/shared/periods.ts";
import type { Annotation } from "../api/saved.ts";
import { fill, pluralForm, words } from "../words/words.ts";
import { annotationText, openAnnotations, spanText } from "./annotations.ts";
import { percent, type Layout } from "./line-chart.tsx";
import { joinedMarks, marksOf, type Mark } from "./marks.ts";
import type { ChartPoint } from "./points.ts";

/** Minimum target size for a finger. */
const MARK_PX = 24;

/** A tooltip shows at most this many texts; the dialog shows all. */
const TEXTS_MAX = 6;

interface MarkButtonProps {
  readonly mark: Mark;
  readonly interval: Interval;
  readonly layout: Layout;
}

function MarkButton({ mark: { index, annotations }, interval, layout: { leftOf, top, bottom, width, height } }: MarkButtonProps) {
  const [isShown, setShown] = useState(false);
  const [first, ...others] = annotations;
  const left = leftOf(index);
  const texts = annotations.map(annotationText);
  const place = { left: percent(left, width), top: percent(bottom, height) };
  const line = { left: place.left, top: percent(top, height), height: percent(bottom - top, height) };
  return (
    <>
      <i class="chart-mark-line" style={line} />
      <div class="chart-mark" style={place} data-side={left > width / 2 ? "left" : "right"}>
        <button
          type="button"
          aria-label={fill(texts.length === 1 ? words.charts.annotation : pluralForm(words.charts.annotations, texts.length), {
            count: texts.length,
            texts: texts.join("; "),
          })}
          onMouseEnter={() => setShown(true)}
          onMouseLeave={() => setShown(false)}
          onFocus={() => setShown(true)}
          onBlur={() => setShown(false)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || !isShown) return;
            // It closes the tooltip, and no more.
            event.preventDefault();
            setShown(false);
          }}
          onClick={() => first && openAnnotations(others.length === 0 ? first.id : spanText(annotations, interval))}
        >
          <span class={annotations.length === 1 ? "mark-sign" : "mark-count"} aria-hidden="true">
            {annotations.length === 1 ? "" : annotations.length}
          </span>
        </button>
        {isShown && (
          <div class="tooltip mark-tooltip" aria-hidden="true">
            {texts.slice(0, TEXTS_MAX).map((text) => (
              <span key={text}>{text}</span>
            ))}
            {texts.length > TEXTS_MAX && <span class="dim">{fill(words.charts.more, { count: texts.length - TEXTS_MAX })}</span>}
          </div>
        )}
      </div>
    </>
  );
}

export interface ChartMarksProps {
  readonly annotations: readonly Annotation[];
  readonly points: readonly ChartPoint[];
  readonly interval: Interval;
  readonly layout: Layout;
}

export function ChartMarks({ annotations, points, interval, layout }: ChartMarksProps) {
  const marks = marksOf(points, annotations, interval);
  return (
    <>
      <div class="chart-marks">
        {joinedMarks(marks, layout.leftOf, MARK_PX).map((mark) => (
          <MarkButton key={mark.annotations[0]?.id} mark={mark} interval={interval} layout={layout} />
        ))}
      </div>
      <ul class="on-paper" aria-hidden="true">
        {marks.flatMap((mark) => mark.annotations.map((each) => <li key={each.id}>{annotationText(each)}</li>))}
      </ul>
    </>
  );
}
