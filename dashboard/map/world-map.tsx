/** The world map: countries shaded by visitors, a pulse where someone is active, and a menu per country. A list beside it has the same data. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { UNRECORDED } from "../../src/shared/filters.ts";
import { choiceOf, filterItems } from "../filters/filter-items.ts";
import { countryName } from "../format/dimensions.ts";
import { countOf, formatCount, formatShare } from "../format/locale.ts";
import { Menu, MenuPopup, useCloseOutside } from "../kit/menu.tsx";
import { hasModifier, TapChoice } from "../kit/pointing.ts";
import type { Choice } from "../state/filters.ts";
import { filters, hasFilter, hasListOf, isExcluded, toggleFilter, visitorWords } from "../state/view-filters.ts";
import { fill, words } from "../words/words.ts";
import type { WorldShapes } from "./world-shapes.ts";
import { useZoom, type Zoom } from "./zoom.ts";

/** Visitors by country code. */
type Counts = ReadonlyMap<string, number>;

/** Square root, so that countries with few visitors differ from those with none. */
const shadeOf = (visitors: number, most: number): number => (visitors === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(visitors / most));

/** Shapes and dots carry their country code, which `countryAt` reads. */
function Countries({ shapes, visitors }: { readonly shapes: WorldShapes; readonly visitors: Counts }) {
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

/** null for the sea, and for areas without a code. */
function countryAt(event: Event): string | null {
  const code = event.target instanceof Element ? event.target.closest("[data-country]")?.getAttribute("data-country") : null;
  return code == null || code.startsWith("-") ? null : code;
}

/** The CSS position of a country's label from the map's corner. */
function placeOf({ points, width, height }: WorldShapes, { scale, x, y }: Zoom, code: string) {
  const [left, top] = points[code] ?? [0, 0];
  return { left: `${((left * scale + x) / width) * 100}%`, top: `${((top * scale + y) / height) * 100}%` };
}

interface PulsesProps {
  readonly shapes: WorldShapes;
  readonly current: Counts;
  readonly zoom: Zoom;
}

/** Lies above the map, so that a pulse does not redraw the countries. */
const Pulses = ({ shapes, current, zoom }: PulsesProps) => (
  <div class="map-pulses" aria-hidden="true">
    {[...current].map(([code, count]) => {
      const size = `${5 + 1.5 * Math.min(Math.log2(count), 4)}px`;
      const style = { ...placeOf(shapes, zoom, code), width: size, height: size };
      return shapes.points[code] && <i key={code} class="pulse" data-pulse={code} style={style} />;
    })}
  </div>
);

/** Positions are CSS lengths from the map's corner. */
interface OpenCountry {
  readonly code: string;
  readonly left: string;
  readonly top: string;
}

const MENU_BUTTON = "map-more";

function CountryMenu({ open: { code, left, top }, onClose }: { readonly open: OpenCountry; readonly onClose: () => void }) {
  const root = useRef<HTMLDivElement>(null);
  useCloseOutside(root, true, onClose);
  const label = countryName(code);
  function close() {
    root.current?.closest(".map")?.querySelector<HTMLElement>(`.${MENU_BUTTON}`)?.focus({ preventScroll: true });
    onClose();
  }
  return (
    <div class="map-menu" ref={root} style={{ left: `clamp(0px, ${left}, 100% - 240px)`, top: `clamp(0px, ${top}, 100%)` }}>
      <MenuPopup label={label} items={filterItems({ dimension: "countries", value: code }, label)} end="start" onClose={close} />
    </div>
  );
}

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

function Tooltip({ pointed, visitors, total, current }: Omit<WorldMapProps, "shapes" | "label"> & { readonly pointed: Pointed }) {
  const count = visitors.get(pointed.code) ?? 0;
  const now = current?.get(pointed.code) ?? 0;
  return (
    <div class="tooltip" style={{ left: `${pointed.x}px`, top: `${pointed.y}px` }}>
      <strong>{countryName(pointed.code)}</strong>
      <span>
        {countOf(count, visitorWords.value)}
        {total !== null && total > 0 && count > 0 ? `, ${formatShare(count / total)}` : ""}
      </span>
      {now > 0 && <span>{fill(words.map.rightNow, { count: formatCount(now) })}</span>}
      {pointed.isTouch && count > 0 && <span class="dim">{words.map.tapAgain}</span>}
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

export function WorldMap({ shapes, label, visitors, total, current }: WorldMapProps) {
  const { zoom, svg, onKey, onPointerDown, onPointerMove, onPointerEnd } = useZoom(shapes);
  const { pointed, press, point, click, leave } = usePointed((code, choice) => {
    if (canChoose(code, choice, visitors)) toggleFilter("countries", code, choice);
  });
  const [open, setOpen] = useState<OpenCountry | null>(null);
  function onContextMenu(event: MouseEvent) {
    leave();
    const code = countryAt(event);
    if (code === null || !(canChoose(code, "also", visitors) || canChoose(code, "not", visitors))) return;
    event.preventDefault();
    const box = (event.currentTarget as Element).getBoundingClientRect();
    setOpen({ code, left: `${event.clientX - box.left}px`, top: `${event.clientY - box.top}px` });
  }
  // What was pointed at is no longer there.
  useEffect(leave, [zoom]);
  // A move of the pointer or of the map does not compare 250 countries again.
  const countries = useMemo(() => <Countries shapes={shapes} visitors={visitors} />, [shapes, visitors, filters.value]);
  /** Most visitors first. */
  const counted = [...visitors].filter(([code, count]) => count > 0 && code !== UNRECORDED).sort(([, a], [, b]) => b - a);
  /** Acts like the key. Useless ones stay on the whole map: a removed button would lose the focus. */
  const zoomButton = (key: string, name: string, text: string) => (
    <button
      type="button"
      aria-label={name}
      title={`${name} (${key})`}
      aria-disabled={key === "+" ? undefined : zoom.scale <= 1}
      onClick={() => onKey(key)}
    >
      {text}
    </button>
  );

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
        onContextMenu={onContextMenu}
      >
        <g transform={`translate(${zoom.x} ${zoom.y}) scale(${zoom.scale})`}>{countries}</g>
      </svg>
      {current && <Pulses shapes={shapes} current={current} zoom={zoom} />}
      <div class="map-zoom" role="group" aria-label={words.map.zoom}>
        {zoomButton("+", words.map.zoomIn, "+")}
        {zoomButton("-", words.map.zoomOut, "−")}
        {zoomButton("0", words.map.resetZoom, "↺")}
      </div>
      {counted.length > 0 && (
        <Menu
          label={words.map.choose}
          button={<span class="more" aria-hidden="true" />}
          buttonClass={MENU_BUTTON}
          search={words.map.search}
          items={counted.map(([code]) => ({
            label: countryName(code),
            isChosen: hasFilter("countries", code),
            onChoose: () => setOpen({ code, ...placeOf(shapes, zoom, code) }),
          }))}
        />
      )}
      {open && <CountryMenu key={open.code} open={open} onClose={() => setOpen(null)} />}
      {pointed && open === null && <Tooltip pointed={pointed} visitors={visitors} total={total} current={current} />}
    </div>
  );
}
