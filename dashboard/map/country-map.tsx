/** The Map tab of locations: visitors by country. The Countries tab lists the same data for screen readers. */
import { useMemo } from "preact/hooks";
import { UNRECORDED } from "../../src/shared/filters.ts";
import type { Reports } from "../api/types.ts";
import { Footnote } from "../filters/footnote.tsx";
import { countOf } from "../format/locale.ts";
import { INLINE, LinkButton } from "../kit/inline.tsx";
import { Empty, MapPlaceholder, ReportView } from "../kit/states.tsx";
import { useBreakdown } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { totalVisitors } from "../state/statistics.ts";
import { visitorWords } from "../state/view-filters.ts";
import { openPanel } from "../state/view.ts";
import { rich, words } from "../words/words.ts";
import { WorldMap } from "./world-map.tsx";
import { useWorldShapes } from "./world-shapes.ts";

/** More than exist. */
const COUNTRIES_MAX = 300;

function CountryVisitors({ breakdown }: { readonly breakdown: Reports["breakdown"] }) {
  const shapes = useWorldShapes();
  const visitors = useMemo(() => new Map(breakdown.map((row) => [row.value, row.visitors])), [breakdown]);
  const unknown = visitors.get(UNRECORDED) ?? 0;
  return (
    <>
      <div class="map-place">
        {shapes && <WorldMap shapes={shapes} label={words.map.label} visitors={visitors} total={totalVisitors()} />}
      </div>
      {breakdown.length === 0 && <Empty />}
      <footer class="card-foot">
        {breakdown.length > 0 && <LinkButton onClick={() => openPanel("countries")}>{rich(words.map.details, INLINE)}</LinkButton>}
        {unknown > 0 && <Footnote dimension="countries" counted={countOf(unknown, visitorWords.value)} />}
      </footer>
    </>
  );
}

export function CountryMap() {
  const report = useBreakdown("countries", { ...scope.value, limit: COUNTRIES_MAX });
  return (
    <ReportView report={report} placeholder={<MapPlaceholder />}>
      {(breakdown) => <CountryVisitors breakdown={breakdown} />}
    </ReportView>
  );
}
