/** The map of the realtime view: countries of the last half hour, with a pulse where someone is right now. */
import { useMemo } from "preact/hooks";
import { UNKNOWN } from "../format/dimensions.ts";
import { countOf } from "../format/locale.ts";
import { WorldMap } from "../map/world-map.tsx";
import { useWorldShapes } from "../map/world-shapes.ts";
import type { Realtime } from "../state/realtime.ts";

type Countries = Required<Realtime>["countries"];

export function RealtimeMap({ countries }: { readonly countries: Countries }) {
  const shapes = useWorldShapes();
  const visitors = useMemo(() => new Map(countries.map((row) => [row.value, row.visitors])), [countries]);
  const current = useMemo(
    () => new Map(countries.flatMap((row) => (row.current_visitors > 0 ? [[row.value, row.current_visitors] as const] : []))),
    [countries],
  );
  const unknown = visitors.get(UNKNOWN) ?? 0;
  return (
    <section class="card" aria-label="Map">
      <header class="card-head">
        <h2>Map</h2>
      </header>
      <div class="map-place">
        {shapes && (
          <WorldMap
            shapes={shapes}
            label="Visitors by country, with a pulse where someone is right now. The list Countries has the numbers."
            visitors={visitors}
            total={null}
            current={current}
          />
        )}
      </div>
      <footer class="card-foot">{unknown > 0 && <small>{countOf(unknown, "visitor")} with unknown location</small>}</footer>
    </section>
  );
}
