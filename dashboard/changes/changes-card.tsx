/** The card of the values that changed most, up and down, over all dimensions, as bars to both sides. */
import type { Dimension } from "../api/types.ts";
import { isNotableCount } from "../format/change.ts";
import { DIMENSIONS, formatValue, isAnswer, isDimension } from "../format/dimensions.ts";
import { formatCount } from "../format/locale.ts";
import { formatShortRange } from "../format/locale.ts";
import { Empty, ReportView } from "../kit/states.tsx";
import { tip } from "../kit/tips.ts";
import { filterDimensionOf } from "../format/dimensions.ts";
import { canFilterBy } from "../state/filters.ts";
import { isCardShown } from "../state/known-sites.ts";
import { today } from "../state/period.ts";
import type { Report } from "../state/requests.ts";
import { toggleFilter } from "../state/view-filters.ts";
import { fill, words } from "../words/words.ts";
import { caveatOf, type Changes, type Contribution } from "./changes.ts";

const ROWS = 5;

/** Different dimensions describe the same visits; these say most. */
const LISTED: readonly Dimension[] = ["visit-sources", "visit-utm-campaigns", "entry-pages", "countries", "browsers"];

const isListed = (dimension: Dimension): boolean => {
  const { card } = DIMENSIONS[dimension];
  return LISTED.includes(dimension) && (card === undefined || isCardShown(card));
};

/** Changes that may be chance are left out. */
function contributionsOf({ dimensions }: Changes): Contribution[] {
  return dimensions.flatMap(({ dimension, rows }) =>
    isDimension(dimension) && isListed(dimension)
      ? rows
          .filter(({ value, before, after }) => isAnswer(dimension, value) && isNotableCount(after, before))
          .map(({ value, before, after, delta }) => ({ dimension, value, before, after, delta }))
      : [],
  );
}

const largestOf = (all: readonly Contribution[], sign: 1 | -1): Contribution[] =>
  all
    .filter(({ delta }) => Math.sign(delta) === sign)
    .toSorted((a, b) => sign * (b.delta - a.delta))
    .slice(0, ROWS);

function ChangeRow({ row, largest }: { readonly row: Contribution; readonly largest: number }) {
  const { dimension, value, before, after, delta } = row;
  const name = formatValue(dimension, value);
  const amount = `${delta > 0 ? "+" : "−"}${formatCount(Math.abs(Math.round(delta)))}`;
  const title = fill(words.changesCard.from, { name, before: formatCount(Math.round(before)), after: formatCount(Math.round(after)) });
  const bar = <i class={delta > 0 ? "change-bar up" : "change-bar down"} style={{ width: `${(Math.abs(delta) / largest) * 50}%` }} />;
  const text = (
    <>
      <span class="change-name">
        {name} <small>{DIMENSIONS[dimension].singular}</small>
      </span>
      <span class="change-track" aria-hidden="true">
        {bar}
      </span>
      <span class="change-amount">{amount}</span>
    </>
  );
  return (
    <li>
      {canFilterBy(value) ? (
        <button type="button" class="change-row" {...tip(title, true)} onClick={() => toggleFilter(filterDimensionOf(dimension), value)}>
          {text}
        </button>
      ) : (
        <span class="change-row">{text}</span>
      )}
    </li>
  );
}

function Rows({ changes }: { readonly changes: Changes }) {
  const all = contributionsOf(changes);
  const [more, less] = [largestOf(all, 1), largestOf(all, -1)];
  const largest = Math.max(...[...more, ...less].map(({ delta }) => Math.abs(delta)));
  if (more.length + less.length === 0) {
    const none = changes.reason === "too_new" ? words.changes.reasons.too_new : words.changesCard.none;
    return <Empty>{caveatOf(changes, "imported_days") ?? none}</Empty>;
  }
  return (
    <ul class="change-rows" aria-label={words.changesCard.title}>
      {[...more, ...less].map((row) => (
        <ChangeRow key={`${row.dimension} ${row.value}`} row={row} largest={largest} />
      ))}
    </ul>
  );
}

function comparedText({ comparison }: Changes): string {
  const { start_date: start, end_date: end } = comparison;
  if (start === undefined || end === undefined) return words.changesCard.typical;
  return fill(words.changesCard.against, { dates: formatShortRange(start, end, today.value) });
}

interface ChangesCardProps {
  readonly report: Report<Changes>;
  /** Nothing is asked about a period without events. */
  readonly hasEvents: boolean;
}

export const ChangesCard = ({ report, hasEvents }: ChangesCardProps) => (
  <section class="card" aria-label={words.changesCard.title} data-card="changes">
    <header class="card-head">
      <h2>{words.changesCard.title}</h2>
      {hasEvents && report.data && <span class="dim">{comparedText(report.data)}</span>}
    </header>
    {hasEvents ? (
      <ReportView report={report} rows={ROWS}>
        {(changes) => <Rows changes={changes} />}
      </ReportView>
    ) : (
      <Empty />
    )}
  </section>
);
