/** Annotation marks on the time axis: hover and focus show their texts, a click opens them. */
import { useState } from "preact/hooks";
import type { Interval } from "../../src/shared/periods.ts";
import { annotationText, hasAnnotations, openAnnotations, spanText, useAnnotations } from "./annotations.ts";
import type { Layout } from "./line-chart.tsx";
import { joinedMarks, marksOf, type Mark } from "./marks.ts";
import type { ChartPoint } from "./points.ts";

/** Minimum target size for a finger. */
const MARK_PX = 24;

/** A tooltip shows at most this many texts; the dialog shows all. */
const TEXTS_MAX = 6;

function openMark({ annotations }: Mark, interval: Interval): void {
  const [first, ...others] = annotations;
  if (first) openAnnotations(others.length === 0 ? first.id : spanText(annotations, interval));
}

interface MarkButtonProps {
  readonly mark: Mark;
  readonly onOpen: () => void;
  readonly layout: Layout;
}

function MarkButton({ mark: { index, annotations }, onOpen, layout: { leftOf, bottom, width } }: MarkButtonProps) {
  const [isShown, setShown] = useState(false);
  const left = leftOf(index);
  const texts = annotations.map(annotationText);
  return (
    <div class="chart-mark" style={{ left: `${left}px`, top: `${bottom}px` }} data-side={left > width / 2 ? "left" : "right"}>
      <button
        type="button"
        aria-label={`${texts.length === 1 ? "Annotation" : `${texts.length} annotations`}: ${texts.join("; ")}`}
        onMouseEnter={() => setShown(true)}
        onMouseLeave={() => setShown(false)}
        onFocus={() => setShown(true)}
        onBlur={() => setShown(false)}
        onKeyDown={(event) => event.key === "Escape" && setShown(false)}
        onClick={onOpen}
      >
        <span aria-hidden="true">{annotations.length === 1 ? "" : annotations.length}</span>
      </button>
      {isShown && (
        <div class="tooltip mark-tooltip" aria-hidden="true">
          {texts.slice(0, TEXTS_MAX).map((text) => (
            <span key={text}>{text}</span>
          ))}
          {texts.length > TEXTS_MAX && <span class="dim">{texts.length - TEXTS_MAX} more</span>}
        </div>
      )}
    </div>
  );
}

interface ChartMarksProps {
  readonly points: readonly ChartPoint[];
  readonly interval: Interval;
  readonly layout: Layout;
}

export function ChartMarks({ points, interval, layout }: ChartMarksProps) {
  const annotations = useAnnotations();
  if (!hasAnnotations() || annotations.length === 0) return null;
  return (
    <div class="chart-marks">
      {joinedMarks(marksOf(points, annotations, interval), layout.leftOf, MARK_PX).map((mark) => (
        <MarkButton key={mark.annotations[0]?.id} mark={mark} onOpen={() => openMark(mark, interval)} layout={layout} />
      ))}
    </div>
  );
}
