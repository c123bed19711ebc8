/** Visitors by country, on a map that is loaded when it is first looked at. The countries' list says the same in words. */
import { useEffect, useState } from "preact/hooks";
import { totalVisitors } from "../charts/totals.ts";
import { Empty, FigureView } from "../components/states.tsx";
import { filters, openPanel, scope, toggleFilter } from "../state/view.ts";
import { useBreakdown } from "../state/use-report.ts";
import { countryName, UNKNOWN } from "../format/dimensions.ts";
import { countText, shareText } from "../format/numbers.ts";

/** Put in by the build. */
declare const COUNTRY_MAP_URL: string;

interface Drawing {
  readonly width: number;
  readonly height: number;
  /** SVG paths by ISO 3166 alpha-2 code. */
  readonly countries: Readonly<Record<string, string>>;
}

const COUNTRIES_MAX = 300;

let drawing: Promise<Drawing> | null = null;

const loadDrawing = (): Promise<Drawing> => (drawing ??= fetch(COUNTRY_MAP_URL).then((response) => response.json() as Promise<Drawing>));

function useDrawing(): Drawing | null {
  const [loaded, setLoaded] = useState<Drawing | null>(null);
  useEffect(() => {
    loadDrawing().then(setLoaded, () => {
      drawing = null;
    });
  }, []);
  return loaded;
}

/** Shades go by the square root, so that the small ones can be told from none. */
const shadeOf = (visitors: number, most: number): string => String(visitors === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(visitors / most));

interface Pointed {
  readonly code: string;
  readonly x: number;
  readonly y: number;
}

function MapDrawing({ drawn, visitors }: { readonly drawn: Drawing; readonly visitors: ReadonlyMap<string, number> }) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const most = Math.max(...visitors.values(), 1);
  const chosen = filters.value.filter(({ dimension, isNot }) => dimension === "countries" && !isNot).map(({ value }) => value);
  const count = pointed ? (visitors.get(pointed.code) ?? 0) : 0;
  const all = totalVisitors.value;
  return (
    <div class="map">
      <svg
        viewBox={`0 0 ${drawn.width} ${drawn.height}`}
        role="img"
        aria-label="Visitors by country. The tab Countries has them as a list."
        onMouseLeave={() => setPointed(null)}
      >
        {Object.entries(drawn.countries).map(([code, path]) => {
          const known = visitors.get(code) ?? 0;
          return (
            <path
              key={code}
              d={path}
              class={chosen.includes(code) ? "country chosen" : known > 0 ? "country counted" : "country"}
              style={{ "--shade": shadeOf(known, most) }}
              data-country={code}
              onMouseMove={(event) => {
                const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
                if (box) setPointed({ code, x: event.clientX - box.left, y: event.clientY - box.top });
              }}
              onClick={known > 0 ? () => toggleFilter({ dimension: "countries", isNot: false, value: code }) : undefined}
            />
          );
        })}
      </svg>
      {pointed && !pointed.code.startsWith("-") && (
        <div class="tooltip" style={{ left: `${pointed.x}px`, top: `${pointed.y}px` }}>
          <strong>{countryName(pointed.code)}</strong>
          <span>
            {countText(count)} visitors{all !== null && all > 0 && count > 0 ? `, ${shareText(count / all)}` : ""}
          </span>
        </div>
      )}
    </div>
  );
}

export function CountryMap() {
  const drawn = useDrawing();
  const figure = useBreakdown("countries", { ...scope.value, limit: COUNTRIES_MAX });
  return (
    <FigureView figure={figure}>
      {(breakdown) => {
        const located = breakdown.filter(({ value }) => value !== UNKNOWN);
        const unknown = breakdown.find(({ value }) => value === UNKNOWN)?.visitors ?? 0;
        return (
          <>
            <div class="map-place">
              {drawn && <MapDrawing drawn={drawn} visitors={new Map(located.map(({ value, visitors }) => [value, visitors]))} />}
            </div>
            {breakdown.length === 0 && <Empty />}
            <footer class="card-foot">
              {breakdown.length > 0 && (
                <button type="button" class="link" onClick={() => openPanel("countries")}>
                  Details<span class="unseen"> of Countries</span>
                </button>
              )}
              {unknown > 0 && <small>{countText(unknown)} visitors from unknown places</small>}
            </footer>
          </>
        );
      }}
    </FigureView>
  );
}
