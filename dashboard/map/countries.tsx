/** Countries of the map: shapes shaded by visitors, small countries as dots, and pulses where visitors are active. */
import { hasFilter } from "../state/view-filters.ts";
import type { WorldShapes } from "./world-shapes.ts";
import type { Zoom } from "./zoom.ts";

/** Visitors by country code. */
export type Counts = ReadonlyMap<string, number>;

/** Square root, so that countries with few visitors differ from those with none. */
const shadeOf = (visitors: number, most: number): number => (visitors === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(visitors / most));

/** Shapes and dots carry their country code, which `countryAt` reads. */
export function Countries({ shapes, visitors }: { readonly shapes: WorldShapes; readonly visitors: Counts }) {
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
export function countryAt(event: Event): string | null {
  const code = event.target instanceof Element ? event.target.closest("[data-country]")?.getAttribute("data-country") : null;
  return code == null || code.startsWith("-") ? null : code;
}

interface PulsesProps {
  readonly shapes: WorldShapes;
  readonly current: Counts;
  readonly zoom: Zoom;
}

/** Lies above the map, so that a pulse does not redraw the countries. */
export const Pulses = ({ shapes: { points, width, height }, current, zoom: { scale, x, y } }: PulsesProps) => (
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
