/** Bots and crawlers: what the site's numbers leave out, by day, reason, bot, operator and page (docs/bots.md). */
import { readablePath } from "../../src/shared/paths.ts";
import type { Reports } from "../api/types.ts";
import { RowList, type Row } from "../cards/rows.tsx";
import { countOf, formatBucket, formatCount, formatShortDay } from "../format/locale.ts";
import { onPlainClick } from "../kit/pointing.ts";
import { Empty, ReportView } from "../kit/states.tsx";
import { tip } from "../kit/tips.ts";
import { useReport } from "../state/requests.ts";
import { datesScope } from "../state/scope.ts";
import { backToDashboard, dashboardHref } from "../state/view.ts";
import { words } from "../words/words.ts";
import { AiCrawlers } from "./ai-crawlers.tsx";
import { Lenses } from "./lenses.tsx";
import { BuiltInRulesCard, RulesCard } from "./rules-card.tsx";

type Dropped = Reports["dropped"];

/** Longer ranges have several days in a column. */
const COLUMNS_MAX = 60;

type Reason = Dropped["reasons"]["rows"][number]["value"];

/** The order in which they are stacked. */
const REASONS = Object.keys(words.bots.reasonNames) as readonly Reason[];

interface Column {
  readonly first: string;
  readonly last: string;
  readonly dropped: number;
  readonly reasons: ReadonlyMap<Reason, number>;
}

function columnsOf(days: Dropped["days"]): Column[] {
  const perColumn = Math.ceil(days.length / COLUMNS_MAX);
  const columns: Column[] = [];
  for (let i = 0; i < days.length; i += perColumn) {
    const part = days.slice(i, i + perColumn);
    const reasons = new Map<Reason, number>();
    for (const { value, dropped } of part.flatMap((day) => day.reasons)) reasons.set(value, (reasons.get(value) ?? 0) + dropped);
    const [first, last] = [part[0]?.date ?? "", part.at(-1)?.date ?? ""];
    columns.push({ first, last, dropped: part.reduce((sum, { dropped }) => sum + dropped, 0), reasons });
  }
  return columns;
}

const whenOf = ({ first, last }: Column): string =>
  first === last ? formatBucket(first) : `${formatShortDay(first)} – ${formatShortDay(last)}`;

const tipOf = (column: Column, shown: readonly Reason[]): string =>
  [
    countOf(column.dropped, words.counts.event),
    ...shown
      .filter((of) => column.reasons.has(of))
      .map((of) => `${words.bots.reasonNames[of]}: ${formatCount(column.reasons.get(of) ?? 0)}`),
    whenOf(column),
  ].join("\n");

/** A hidden table has the same numbers. */
function Days({ days }: { readonly days: Dropped["days"] }) {
  const columns = columnsOf(days);
  const most = Math.max(...columns.map(({ dropped }) => dropped), 1);
  const shown = REASONS.filter((of) => columns.some(({ reasons }) => reasons.has(of)));
  return (
    <>
      <div class="dropped-days" aria-hidden="true">
        {columns.map((column) => (
          <span key={column.first} class="dropped-day" {...tip(tipOf(column, shown))}>
            {shown.map((of) => (
              <span key={of} data-reason={of} style={{ height: `${((column.reasons.get(of) ?? 0) / most) * 100}%` }} />
            ))}
          </span>
        ))}
      </div>
      <div class="minute-axis" aria-hidden="true">
        {[columns[0], columns.at(-1)].map((column, i) => column && <span key={i}>{whenOf(column)}</span>)}
      </div>
      <ul class="dropped-reasons dim" aria-hidden="true">
        {shown.map((of) => (
          <li key={of}>
            <span data-reason={of} /> {words.bots.reasonNames[of]}
          </li>
        ))}
      </ul>
      <div class="unseen">
        <table>
          <caption>{words.bots.byDay}</caption>
          <thead>
            <tr>
              <th scope="col">{words.bots.day}</th>
              <th scope="col">{words.bots.events}</th>
              {shown.map((of) => (
                <th key={of} scope="col">
                  {words.bots.reasonNames[of]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map((column) => (
              <tr key={column.first}>
                <th scope="row">{whenOf(column)}</th>
                <td>{formatCount(column.dropped)}</td>
                {shown.map((of) => (
                  <td key={of}>{formatCount(column.reasons.get(of) ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface ListProps {
  readonly title: string;
  readonly column: string;
  readonly rows: readonly { readonly key: string; readonly label: string; readonly dropped: number; readonly about?: string }[];
  readonly rest: number;
  /** What the numbers mean, where that is not plain. */
  readonly note?: string;
}

/** Shares are of all events that are not counted. */
const listOf =
  (total: number) =>
  ({ title, column, rows, rest, note }: ListProps) => {
    const row = (dropped: number) => ({ count: dropped, share: dropped / total, countTitle: countOf(dropped, words.counts.event) });
    const shown: Row[] = rows.map(({ key, label, dropped, about }) => ({
      ...{ key, label },
      ...row(dropped),
      ...(about !== undefined && { title: about }),
    }));
    // Its key is none of a row: those begin with the kind of their value.
    if (rest > 0) shown.push({ key: "rest", label: words.bots.rest, ...row(rest) });
    return (
      <section class="card" aria-label={title}>
        <header class="card-head">
          <h2>{title}</h2>
        </header>
        <p class="column-heads">
          <span>{column}</span>
          <span>{words.bots.events}</span>
        </p>
        <RowList label={title} rows={shown} />
        {note !== undefined && <footer class="card-foot dim">{note}</footer>}
      </section>
    );
  };

/** Rows of each list. */
const ROWS = 9;

function Lists({ report: { dropped, reasons, names, operators, paths } }: { readonly report: Dropped }) {
  const List = listOf(dropped);
  const { bots } = words;
  const keyOf = (value: string | null) => `value ${value ?? ""}`;
  return (
    <div class="cards">
      {List({
        ...{ title: bots.reasons, column: bots.reason, rest: reasons.rest },
        rows: reasons.rows.map((row) => ({ key: keyOf(row.value), label: bots.reasonNames[row.value], dropped: row.dropped })),
      })}
      {List({
        ...{ title: bots.names, column: bots.name, rest: names.rest, note: bots.claims },
        rows: names.rows.map(({ value, operator, dropped: count }) => ({
          ...{ key: keyOf(value), label: value ?? bots.unnamed, dropped: count },
          ...(operator !== null && { about: operator }),
        })),
      })}
      {List({
        ...{ title: bots.operators, column: bots.operator, rest: operators.rest },
        rows: operators.rows.map((row) => ({ key: keyOf(row.value), label: row.value ?? bots.noOperator, dropped: row.dropped })),
      })}
      {List({
        ...{ title: bots.pages, column: bots.page, rest: paths.rest },
        ...(paths.missed_max > 0 && { note: bots.atLeast }),
        rows: paths.rows.map((row) => ({ key: keyOf(row.value), label: readablePath(row.value), dropped: row.dropped })),
      })}
    </div>
  );
}

export function BotsPage() {
  const report = useReport("dropped", { ...datesScope.value, limit: ROWS });
  return (
    <section aria-label={words.bots.title}>
      <header class="explore-head">
        <h2>{words.bots.title}</h2>
        <a class="link" href={dashboardHref()} onClick={onPlainClick(backToDashboard)}>
          {words.explore.back}
        </a>
      </header>
      <p class="bots-about dim">{words.bots.about}</p>
      <Lenses />
      <RulesCard />
      <BuiltInRulesCard />
      <ReportView report={report} rows={6}>
        {(dropped) =>
          dropped.dropped === 0 ? (
            <Empty>{words.bots.nothing}</Empty>
          ) : (
            <>
              <section class="panel" aria-label={words.bots.byDay}>
                <p class="bots-total">{countOf(dropped.dropped, words.bots.total)}</p>
                <Days days={dropped.days} />
              </section>
              <Lists report={dropped} />
            </>
          )
        }
      </ReportView>
      <AiCrawlers />
    </section>
  );
}
