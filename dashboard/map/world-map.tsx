/** The world map: countries shaded by visitors, a pulse where someone is active. A list beside it has the same data. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { choiceOf } from "../filters/filter-items.ts";
import { countryName } from "../format/dimensions.ts";
import { countOf, formatCount, formatShare } from "../format/locale.ts";
import { hasModifier, TapChoice } from "../kit/pointing.ts";
import type { Choice } from "../state/filters.ts";
import { filters, hasListOf, isExcluded, toggleFilter, visitorNoun } from "../state/view-filters.ts";
import { Countries, countryAt, Pulses, type Counts } from "./countries.tsx";
import { CountryMenus, labelPlace, type OpenCountry } from "./country-menu.tsx";
import { useZoom } from "./use-zoom.ts";
import type { WorldShapes } from "./world-shapes.ts";

interface ZoomButtonsProps {
  readonly isZoomed: boolean;
  /** Acts like the key. */
  readonly onKey: (key: string) => void;
}

/** The last two stay on the whole map: a removed button would lose the focus. */
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

interface WorldMapProps {
  readonly shapes: WorldShapes;
  readonly label: string;
  readonly visitors: Counts;
  /** The base of shares in the tooltip; null if unknown. */
  readonly total: number | null;
  /** Visitors active right now. */
  readonly current?: Counts | undefined;
}

interface Pointed {
  readonly code: string;
  /** CSS pixels from the map's corner. */
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

/** Tracks the pointed country. A click or a finger's second tap chooses it. */
function usePointed(onChoose: (code: string, choice: Choice) => void) {
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
    if (taps.click(code)) onChoose(code, choiceOf(event));
    else point(event);
  }

  function leave() {
    taps.leave();
    setPointed(null);
  }

  return { pointed, press: (event: PointerEvent) => taps.press(event), point, click, leave };
}

/** Countries without visitors can only be added to others, or be let in again. */
const canChoose = (code: string, choice: Choice, visitors: Counts): boolean =>
  (visitors.get(code) ?? 0) > 0 || (choice === "also" && hasListOf("countries")) || (choice === "not" && isExcluded("countries", code));

/** Opens by a right click on a country, or by its name. */
function useCountryMenu(visitors: Counts) {
  const [open, setOpen] = useState<OpenCountry | null>(null);
  function onContextMenu(event: MouseEvent) {
    const code = countryAt(event);
    if (code === null || !(canChoose(code, "also", visitors) || canChoose(code, "not", visitors))) return;
    event.preventDefault();
    const box = (event.currentTarget as Element).getBoundingClientRect();
    setOpen({ code, left: `${event.clientX - box.left}px`, top: `${event.clientY - box.top}px` });
  }
  return { open, setOpen, onContextMenu };
}

export function WorldMap({ shapes, label, visitors, total, current }: WorldMapProps) {
  const { zoom, svg, onKey, onPointerDown, onPointerMove, onPointerEnd } = useZoom(shapes);
  const { pointed, press, point, click, leave } = usePointed((code, choice) => {
    if (canChoose(code, choice, visitors)) toggleFilter("countries", code, choice);
  });
  const menu = useCountryMenu(visitors);
  // What was pointed at is no longer there.
  useEffect(leave, [zoom]);
  // A move of the pointer or of the map does not compare 250 countries again.
  const countries = useMemo(() => <Countries shapes={shapes} visitors={visitors} />, [shapes, visitors, filters.value]);

  return (
    <div
      class="map"
      onKeyDown={(event) => {
        if (!event.defaultPrevented && !hasModifier(event) && onKey(event.key)) event.preventDefault();
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
        // Shift would select text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onClick={click}
        onContextMenu={(event) => {
          leave();
          menu.onContextMenu(event);
        }}
      >
        <g transform={`translate(${zoom.x} ${zoom.y}) scale(${zoom.scale})`}>{countries}</g>
      </svg>
      {current && <Pulses shapes={shapes} current={current} zoom={zoom} />}
      <ZoomButtons isZoomed={zoom.scale > 1} onKey={onKey} />
      <CountryMenus
        visitors={visitors}
        open={menu.open}
        onChoose={(code) => menu.setOpen(labelPlace(shapes, zoom, code))}
        onClose={() => menu.setOpen(null)}
      />
      {pointed && menu.open === null && <Tooltip pointed={pointed} visitors={visitors} total={total} current={current} />}
    </div>
  );
}
