/** Segments in the filter dialog: choosing one replaces all filters, and the current filters can be saved as a segment. */
import { SavedItems } from "../saved/saved-items.tsx";
import type { Segment } from "../api/segments.ts";
import { parseFilters, printFilter, printFilters } from "../state/filters.ts";
import { segmentFilters, segmentId } from "../state/segments.ts";
import { navigate } from "../state/url.ts";
import { ownFilters, showSegment } from "../state/view.ts";
import { filterInWords } from "./filter-words.ts";

function textOf({ filters: text }: Segment): string {
  const filters = parseFilters(text);
  return filters.map((filter) => filterInWords(filter, filters)).join(", ");
}

/** Those of the segment and of the reader, each once. */
const currentFilters = (): string | null => {
  const all = [...segmentFilters.value, ...ownFilters.value];
  return printFilters([...new Map(all.map((filter) => [printFilter(filter), filter])).values()]);
};

export function Segments() {
  const filters = ownFilters.value.length > 0 ? currentFilters() : null;
  return (
    <section class="segments" aria-label="Segments">
      <h3>Segments</h3>
      <SavedItems
        kind="filters"
        noun="segment"
        current={filters === null ? null : { filters }}
        textOf={textOf}
        isShown={({ id }) => id === segmentId.value}
        onShow={({ id }) => showSegment(id)}
        afterUpdate={({ id }) => id === segmentId.value && navigate({ filters: null })}
        afterDelete={({ id }) => id === segmentId.value && navigate({ segment: null })}
      />
      {filters === null && <p class="dim">Set filters to save them as a segment.</p>}
    </section>
  );
}
