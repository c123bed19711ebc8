/** Countries tinted by their visitors, small ones as dots, with a pulse where someone is right now. A list beside it has the same data. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { TapChoice } from "../components/tap-choice.ts";
import { countryName } from "../format/dimensions.ts";
import { countOf, formatCount, formatShare } from "../format/locale.ts";
import { filters, toggleFilter, visitorNoun } from "../state/view.ts";
import { Countries, countryAt, type Counts } from "./countries.tsx";
import { Pulses } from "./pulses.tsx";
import { useZoom } from "./use-zoom.ts";
import type { WorldShapes } from "./world-shapes.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";

interface WorldMapProps {
  readonly shapes: WorldShapes;
  readonly label: string;
  readonly visitors: Counts;
  /** All visitors, for the share in the tooltip; null where it is not known. */
  readonly total: number | null;
  /** Visitors who are there right now. */
  readonly current?: Counts | undefined;
}

interface Pointed {
  readonly code: string;
  /** In CSS pixels from the map's corner. */
  readonly x: number;
  readonly y: number;
  readonly isTouch: boolean;
}

/** Half the width of most tooltips, which stay within the map. */
const TOOLTIP_PX = 84;

function Tooltip({
  pointed,
  visitors,
  total,
  current,
}: Pick<WorldMapProps, "visitors" | "total" | "current"> & { readonly pointed: Pointed }) {
  const count = visitors.get(pointed.code) ?? 0;
  const now = current?.get(pointed.code) ?? 0;
  return (
    <div class="tooltip" style={{ left: `${pointed.x}px`, top: `${pointed.y}px` }}>
      <strong>{countryName(pointed.code)}</strong>
      <span>
        {countOf(count, visitorNoun.value)}
        {total !== null && total > 0 && count > 0 ? `, ${formatShare(count / total)}` : ""}
      </span>
      {now > 0 && <span>{formatCount(now)} right now</span>}
      {pointed.isTouch && count > 0 && <span class="dim">Tap again to filter</span>}
    </div>
  );
}

/** The country that the pointer is on. A click chooses it, or a finger's second tap. */
function usePointed(onChoose: (code: string) => void) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const taps = useRef(new TapChoice<string>()).current;

  function point(event: MouseEvent) {
    const code = countryAt(event);
    if (code === null) return setPointed(null);
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const x = Math.min(Math.max(event.clientX - box.left, TOOLTIP_PX), box.width - TOOLTIP_PX);
    setPointed({ code, x, y: event.clientY - box.top, isTouch: taps.isTouch });
  }

  function click(event: MouseEvent) {
    const code = countryAt(event);
    if (taps.click(code)) onChoose(code);
    else point(event);
  }

  function leave() {
    taps.leave();
    setPointed(null);
  }

  return { pointed, press: (event: PointerEvent) => taps.press(event), point, click, leave };
}

export function WorldMap({ shapes, label, visitors, total, current }: WorldMapProps) {
  const { zoom, svg, onKey, onPointerDown, onPointerMove, onPointerEnd } = useZoom(shapes);
  const { pointed, press, point, click, leave } = usePointed((code) => {
    if ((visitors.get(code) ?? 0) > 0) toggleFilter("countries", code);
  });
  // What was pointed at is no longer there.
  useEffect(leave, [zoom]);
  // A move of the pointer or of the map does not compare 250 countries again.
  const countries = useMemo(() => <Countries shapes={shapes} visitors={visitors} />, [shapes, visitors, filters.value]);

  return (
    <div
      class="map"
      onKeyDown={(event) => {
        if (!event.ctrlKey && !event.metaKey && !event.altKey && onKey(event.key)) event.preventDefault();
      }}
    >
      <svg
        ref={svg}
        class={zoom.scale > 1 ? "zoomed" : ""}
        viewBox={`0 0 ${shapes.width} ${shapes.height}`}
        role="img"
        aria-label={label}
        onPointerDown={(event) => {
          press(event);
          onPointerDown(event);
        }}
        onPointerMove={(event) => {
          if (event.pointerType !== "touch") point(event);
          onPointerMove(event);
        }}
        onPointerUp={onPointerEnd}
        onPointerCancel={onPointerEnd}
        onPointerLeave={(event) => {
          if (event.pointerType !== "touch") leave();
        }}
        onClick={click}
      >
        <g transform={`translate(${zoom.x} ${zoom.y}) scale(${zoom.scale})`}>{countries}</g>
      </svg>
      {current && <Pulses shapes={shapes} current={current} zoom={zoom} />}
      <ZoomButtons isZoomed={zoom.scale > 1} onKey={onKey} />
      {pointed && <Tooltip pointed={pointed} visitors={visitors} total={total} current={current} />}
    </div>
  );
}
