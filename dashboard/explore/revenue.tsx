/** The revenue report: totals, events and pages per currency. Currencies share no scale. */
import { TRACK_FUNCTION } from "../../src/shared/names.ts";
import type { Reports } from "../api/types.ts";
import { filterRow, RowList } from "../cards/rows.tsx";
import { countOf, formatMoney } from "../format/locale.ts";
import { Empty, ReportView } from "../kit/states.tsx";
import { useReport } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import { fill, rich, words } from "../words/words.ts";

const ROWS = 9;

type Revenue = Reports["revenue"];

/** Rows of one currency, so that their bars have one scale. */
const rowsOf = (title: string, dimension: "events" | "pages", currency: string, rows: Revenue["by_event"]) => (
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
          countTitle: fill(words.explore.inTransactions, {
            amount: formatMoney(total, currency),
            transactions: countOf(transactions, words.counts.transaction),
          }),
          text: formatMoney(total, currency),
        }))}
    />
  </section>
);

export function Revenue() {
  const report = useReport("revenue", scope.value);
  return (
    <ReportView report={report}>
      {({ by_currency, by_event, by_page }) =>
        by_currency.length === 0 ? (
          <Empty>
            {rich(words.explore.noRevenue, { code: <code>{`${TRACK_FUNCTION}("Purchase", { revenue: 29.9, currency: "EUR" })`}</code> })}
          </Empty>
        ) : (
          by_currency.map(({ currency, total, transactions, paying_visitors, average_order_value }) => (
            <section key={currency} class="currency-group" aria-label={currency}>
              <header class="currency">
                <h3>{currency}</h3>
                <strong>{formatMoney(total, currency)}</strong>
                <span class="dim">
                  {fill(words.explore.revenueAbout, {
                    transactions: countOf(transactions, words.counts.transaction),
                    visitors: countOf(paying_visitors, words.counts.payingVisitor),
                    amount: formatMoney(average_order_value, currency),
                  })}
                </span>
              </header>
              <div class="halves">
                {rowsOf(words.explore.byEvent, "events", currency, by_event)}
                {rowsOf(words.explore.byPage, "pages", currency, by_page)}
              </div>
            </section>
          ))
        )
      }
    </ReportView>
  );
}
