/** Visitors by country on a map, whose shapes load with its first use. The tab Countries lists the same data for screen readers. */
import { useEffect, useState } from "preact/hooks";
import { totalVisitors } from "../charts/top-stats.tsx";
import { Empty, ReportView } from "../components/states.tsx";
import { countryName, UNKNOWN } from "../format/dimensions.ts";
import { countOf, formatShare } from "../format/locale.ts";
import { useBreakdown } from "../state/use-report.ts";
import { hasFilter, openPanel, scope, toggleFilter, visitorNoun } from "../state/view.ts";

/** Defined by the build. */
declare const COUNTRY_MAP_URL: string;

/** Made by `map/draw-countries.mjs`. */
interface WorldMap {
  readonly width: number;
  readonly height: number;
  /** SVG paths by ISO 3166 alpha-2 code; an area without a code has a key that begins with `-`. */
  readonly countries: Readonly<Record<string, string>>;
}

/** More than there are. */
const COUNTRIES_MAX = 300;

let loading: Promise<WorldMap> | null = null;

const loadWorldMap = (): Promise<WorldMap> => (loading ??= fetch(COUNTRY_MAP_URL).then((response) => response.json() as Promise<WorldMap>));

/** Null until loaded. A failed load is tried again by the next card that mounts. */
function useWorldMap(): WorldMap | null {
  const [worldMap, setWorldMap] = useState<WorldMap | null>(null);
  useEffect(() => {
    loadWorldMap().then(setWorldMap, () => {
      loading = null;
    });
  }, []);
  return worldMap;
}

/** From 0 to 1 by the square root, so that countries with few visitors stand out from those with none. */
const shadeOf = (visitors: number, most: number): number => (visitors === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(visitors / most));

interface Hovered {
  readonly code: string;
  readonly x: number;
  readonly y: number;
}

function CountryTooltip({ hovered: { code, x, y }, visitors }: { readonly hovered: Hovered; readonly visitors: number }) {
  const total = totalVisitors.value;
  return (
    <div class="tooltip" style={{ left: `${x}px`, top: `${y}px` }}>
      <strong>{countryName(code)}</strong>
      <span>
        {countOf(visitors, visitorNoun.value)}
        {total !== null && total > 0 && visitors > 0 ? `, ${formatShare(visitors / total)}` : ""}
      </span>
    </div>
  );
}

interface CountryShapeProps {
  readonly code: string;
  readonly path: string;
  readonly visitors: number;
  readonly shade: number;
  readonly onHover: (hovered: Hovered) => void;
}

function CountryShape({ code, path, visitors, shade, onHover }: CountryShapeProps) {
  return (
    <path
      d={path}
      class={hasFilter("countries", code) ? "country chosen" : visitors > 0 ? "country counted" : "country"}
      style={{ "--shade": String(shade) }}
      data-country={code}
      onMouseMove={(event) => {
        const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
        if (box) onHover({ code, x: event.clientX - box.left, y: event.clientY - box.top });
      }}
      onClick={visitors > 0 ? () => toggleFilter("countries", code) : undefined}
    />
  );
}

function WorldMapView({ worldMap, visitors }: { readonly worldMap: WorldMap; readonly visitors: ReadonlyMap<string, number> }) {
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const most = Math.max(...visitors.values(), 1);
  return (
    <div class="map">
      <svg
        viewBox={`0 0 ${worldMap.width} ${worldMap.height}`}
        role="img"
        aria-label="Visitors by country. The tab Countries lists them."
        onMouseLeave={() => setHovered(null)}
      >
        {Object.entries(worldMap.countries).map(([code, path]) => {
          const count = visitors.get(code) ?? 0;
          return <CountryShape key={code} code={code} path={path} visitors={count} shade={shadeOf(count, most)} onHover={setHovered} />;
        })}
      </svg>
      {hovered && !hovered.code.startsWith("-") && <CountryTooltip hovered={hovered} visitors={visitors.get(hovered.code) ?? 0} />}
    </div>
  );
}

export function CountryMap() {
  const worldMap = useWorldMap();
  const report = useBreakdown("countries", { ...scope.value, limit: COUNTRIES_MAX });
  return (
    <ReportView report={report}>
      {(breakdown) => {
        const visitors = new Map(breakdown.map((row) => [row.value, row.visitors]));
        const unknown = visitors.get(UNKNOWN) ?? 0;
        visitors.delete(UNKNOWN);
        return (
          <>
            <div class="map-place">{worldMap && <WorldMapView worldMap={worldMap} visitors={visitors} />}</div>
            {breakdown.length === 0 && <Empty />}
            <footer class="card-foot">
              {breakdown.length > 0 && (
                <button type="button" class="link" onClick={() => openPanel("countries")}>
                  Details<span class="unseen"> of Countries</span>
                </button>
              )}
              {unknown > 0 && <small>{countOf(unknown, visitorNoun.value)} with unknown location</small>}
            </footer>
          </>
        );
      }}
    </ReportView>
  );
}
