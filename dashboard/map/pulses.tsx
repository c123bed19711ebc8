/** A pulse in each country where someone is right now. */
import type { Counts } from "./countries.tsx";
import type { WorldShapes } from "./world-shapes.ts";
import type { Zoom } from "./zoom.ts";

interface PulsesProps {
  readonly shapes: WorldShapes;
  readonly current: Counts;
  readonly zoom: Zoom;
}

/** Above the map rather than part of it, so that a pulse does not draw the countries again. */
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
