/** The revenue report: totals, events and pages per currency. Currencies share no scale. */
import { TRACK_FUNCTION } from "../../src/shared/names.ts";
import type { Reports } from "../api/types.ts";
import { filterRow, RowList } from "../cards/rows.tsx";
import { countOf, formatMoney } from "../format/locale.ts";
import { Empty, ReportView } from "../kit/states.tsx";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";

const ROWS = 9;

type Revenue = Reports["revenue"];

type CurrencyTotals = Revenue["by_currency"][number];

interface RevenueRowsProps {
  readonly title: string;
  readonly dimension: "events" | "pages";
  readonly currency: string;
  readonly rows: Revenue["by_event"];
}

/** Rows of one currency, so that their bars have one scale. */
const RevenueRows = ({ title, dimension, currency, rows }: RevenueRowsProps) => (
  <section aria-label={`${title}, ${currency}`}>
    <h4>{title}</h4>
    <RowList
      label={`${title}, ${currency}`}
      rows={rows
        .filter((row) => row.currency === currency)
        .slice(0, ROWS)
        .map(({ value, total, transactions }) => ({
          ...filterRow(dimension, value),
          count: total,
          share: null,
          countTitle: `${formatMoney(total, currency)} in ${countOf(transactions, "transaction")}`,
          text: formatMoney(total, currency),
        }))}
    />
  </section>
);

const CurrencyHead = ({ currency, total, transactions, paying_visitors, average_order_value }: CurrencyTotals) => (
  <header class="currency">
    <h3>{currency}</h3>
    <strong>{formatMoney(total, currency)}</strong>
    <span class="dim">
      {countOf(transactions, "transaction")}, {countOf(paying_visitors, "paying visitor")}, {formatMoney(average_order_value, currency)} on
      average
    </span>
  </header>
);

const NoRevenue = () => (
  <Empty>
    No revenue yet. Add it to an event with{" "}
    <code>
      {TRACK_FUNCTION}("Purchase", {'{ revenue: 29.9, currency: "EUR" }'})
    </code>
    .
  </Empty>
);

export function Revenue() {
  const report = useReport("revenue", scope.value);
  return (
    <ReportView report={report}>
      {({ by_currency, by_event, by_page }) =>
        by_currency.length === 0 ? (
          <NoRevenue />
        ) : (
          by_currency.map((totals) => (
            <section key={totals.currency} class="currency-group" aria-label={totals.currency}>
              <CurrencyHead {...totals} />
              <div class="halves">
                <RevenueRows title="By event" dimension="events" currency={totals.currency} rows={by_event} />
                <RevenueRows title="By page" dimension="pages" currency={totals.currency} rows={by_page} />
              </div>
            </section>
          ))
        )
      }
    </ReportView>
  );
}
