/** Countries tinted by their visitors, small ones as dots, with a pulse where someone is right now. A list beside it has the same data. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { countryName } from "../format/dimensions.ts";
import { countOf, formatCount, formatShare } from "../format/locale.ts";
import { filters, hasFilter, toggleFilter, visitorNoun } from "../state/view.ts";
import { useZoom } from "./use-zoom.ts";
import type { WorldShapes } from "./world-shapes.ts";
import type { Zoom } from "./zoom.ts";

/** Visitors by country code. */
type Counts = ReadonlyMap<string, number>;

interface WorldMapProps {
  readonly shapes: WorldShapes;
  readonly label: string;
  readonly visitors: Counts;
  /** All visitors, for the share in the tooltip; null where it is not known. */
  readonly total: number | null;
  /** Visitors who are there right now. */
  readonly current?: Counts | undefined;
}

/** From 0 to 1 by the square root, so that countries with few visitors stand out from those with none. */
const shadeOf = (visitors: number, most: number): number => (visitors === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(visitors / most));

/** Each shape and dot carries its code, by which the map finds what a pointer is on. */
function Countries({ shapes, visitors }: Pick<WorldMapProps, "shapes" | "visitors">) {
  const countIn = (code: string) => visitors.get(code) ?? 0;
  const most = Math.max(...Object.keys(shapes.points).map(countIn), 1);
  const attributesOf = (code: string) => ({
    class: hasFilter("countries", code) ? "country chosen" : countIn(code) > 0 ? "country counted" : "country",
    style: { "--shade": String(shadeOf(countIn(code), most)) },
    "data-country": code,
  });
  return (
    <>
      {Object.entries(shapes.countries).map(([code, path]) => (
        <path key={code} d={path} {...attributesOf(code)} />
      ))}
      {shapes.dots
        .toSorted((a, b) => countIn(a) - countIn(b))
        .map((code) => (
          <g key={code} {...attributesOf(code)}>
            <path class="dot-edge" d={`M${shapes.points[code]?.join(" ")}h1v1`} />
            <path class="dot" d={`M${shapes.points[code]?.join(" ")}h1v1`} />
          </g>
        ))}
    </>
  );
}

interface PulsesProps {
  readonly shapes: WorldShapes;
  readonly current: Counts;
  readonly zoom: Zoom;
}

/** Above the map rather than part of it, so that a pulse does not draw the countries again. */
const Pulses = ({ shapes: { points, width, height }, current, zoom: { scale, x, y } }: PulsesProps) => (
  <div class="map-pulses" aria-hidden="true">
    {[...current].map(([code, count]) => {
      const at = points[code];
      const size = `${5 + 1.5 * Math.min(Math.log2(count), 4)}px`;
      return (
        at && (
          <i
            key={code}
            class="pulse"
            data-pulse={code}
            style={{
              left: `${((at[0] * scale + x) / width) * 100}%`,
              top: `${((at[1] * scale + y) / height) * 100}%`,
              width: size,
              height: size,
            }}
          />
        )
      );
    })}
  </div>
);

interface ZoomButtonsProps {
  readonly isZoomed: boolean;
  /** Does what the key does. */
  readonly onKey: (key: string) => void;
}

/** The last two stay in place on the whole map, because a button that is taken away loses the focus. */
const ZoomButtons = ({ isZoomed, onKey }: ZoomButtonsProps) => (
  <div class="map-zoom" role="group" aria-label="Zoom">
    <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => onKey("+")}>
      +
    </button>
    <button type="button" aria-label="Zoom out" title="Zoom out (-)" aria-disabled={!isZoomed} onClick={() => onKey("-")}>
      −
    </button>
    <button type="button" aria-label="Whole map" title="Whole map (0)" aria-disabled={!isZoomed} onClick={() => onKey("0")}>
      ↺
    </button>
  </div>
);

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

/** The country that an event is about; null for the sea, and for areas without a code. */
function codeAt(event: Event): string | null {
  const code = event.target instanceof Element ? event.target.closest("[data-country]")?.getAttribute("data-country") : null;
  return code == null || code.startsWith("-") ? null : code;
}

export function WorldMap({ shapes, label, visitors, total, current }: WorldMapProps) {
  const { zoom, svg, onKey, onPointerDown, onPointerMove, onPointerEnd } = useZoom(shapes);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const isTouch = useRef(false);
  // What was pointed at is no longer there.
  useEffect(() => setPointed(null), [zoom]);
  // A move of the pointer or of the map does not compare 250 countries again.
  const countries = useMemo(() => <Countries shapes={shapes} visitors={visitors} />, [shapes, visitors, filters.value]);

  function point(event: MouseEvent) {
    const code = codeAt(event);
    const box = svg.current?.getBoundingClientRect();
    if (code === null || !box) return setPointed(null);
    const x = Math.min(Math.max(event.clientX - box.left, TOOLTIP_PX), box.width - TOOLTIP_PX);
    setPointed({ code, x, y: event.clientY - box.top, isTouch: isTouch.current });
  }

  /** A finger's first tap only shows the tooltip, as a pointer does by moving there. */
  function choose(event: MouseEvent) {
    const code = codeAt(event);
    if (isTouch.current && code !== pointed?.code) return point(event);
    if (code !== null && (visitors.get(code) ?? 0) > 0) toggleFilter("countries", code);
  }

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
          isTouch.current = event.pointerType === "touch";
          onPointerDown(event);
        }}
        onPointerMove={(event) => {
          if (event.pointerType !== "touch") point(event);
          onPointerMove(event);
        }}
        onPointerUp={onPointerEnd}
        onPointerCancel={onPointerEnd}
        onPointerLeave={(event) => {
          if (event.pointerType !== "touch") setPointed(null);
        }}
        onClick={choose}
      >
        <g transform={`translate(${zoom.x} ${zoom.y}) scale(${zoom.scale})`}>{countries}</g>
      </svg>
      {current && <Pulses shapes={shapes} current={current} zoom={zoom} />}
      <ZoomButtons isZoomed={zoom.scale > 1} onKey={onKey} />
      {pointed && <Tooltip pointed={pointed} visitors={visitors} total={total} current={current} />}
    </div>
  );
}
