/** The report of revenue: totals with their change, events and pages per currency. Currencies share no scale. */
import { UNRECORDED } from "../../src/shared/filters.ts";
import { TRACK_FUNCTION } from "../../src/shared/names.ts";
import type { Reports } from "../api/types.ts";
import { filterRow, RowList } from "./rows.tsx";
import { countOf, formatMoney } from "../format/locale.ts";
import { Change } from "../kit/inline.tsx";
import { Empty, ReportView } from "../kit/states.tsx";
import { tip } from "../kit/tips.ts";
import { shownCurrency } from "../state/conversions.ts";
import type { Report } from "../state/requests.ts";
import { isCompared } from "../state/statistics.ts";
import { navigate } from "../state/url.ts";
import { fill, rich, words } from "../words/words.ts";

const ROWS = 9;

type Revenue = Reports["revenue"];

/** Rows of one currency, so that their bars have one scale. */
const rowsOf = (title: string, dimension: "events" | "pages", currency: string, rows: Revenue["by_event"]) => (
  <section aria-label={fill(words.goals.inCurrency, { title, currency })}>
    <h4>{title}</h4>
    <RowList
      label={fill(words.goals.inCurrency, { title, currency })}
      rows={rows
        .filter((row) => row.currency === currency)
        .slice(0, ROWS)
        .map(({ value, total, transactions }) => ({
          ...filterRow(dimension, value),
          count: total,
          share: null,
          countTitle: fill(words.goals.inTransactions, {
            money: formatMoney(total, currency),
            transactions: countOf(transactions, words.counts.transaction),
          }),
          text: formatMoney(total, currency),
        }))}
    />
  </section>
);

type Currency = Revenue["by_currency"][number];

/** The name chooses the currency above the chart, if there are several. */
function CurrencyHead({ row, isOnly }: { readonly row: Currency; readonly isOnly: boolean }) {
  const { currency, total, transactions, paying_visitors, average_order_value, comparison } = row;
  const parts = {
    transactions: countOf(transactions, words.counts.transaction),
    payers: countOf(paying_visitors, words.counts.payingVisitor),
    average: formatMoney(average_order_value, currency),
  };
  return (
    <header class="currency">
      <h3>
        {isOnly || currency === UNRECORDED ? (
          currency
        ) : (
          <button
            type="button"
            class="link"
            aria-pressed={shownCurrency.value === currency}
            {...tip(fill(words.goals.showCurrency, { currency }))}
            onClick={() => navigate({ currency })}
          >
            {currency}
          </button>
        )}
      </h3>
      <strong>{formatMoney(total, currency)}</strong>
      {comparison && isCompared() && <Change now={total} before={comparison.total} />}
      <span class="dim">{fill(words.goals.ofPayers, parts)}</span>
    </header>
  );
}

export const Revenue = ({ report }: { readonly report: Report<Revenue> }) => (
  <ReportView report={report}>
    {({ by_currency: currencies, by_event: events, by_page: pages }) =>
      currencies.length === 0 ? (
        <Empty>
          {rich(words.goals.noRevenue, { code: <code>{`${TRACK_FUNCTION}("Purchase", { revenue: 29.9, currency: "EUR" })`}</code> })}
        </Empty>
      ) : (
        currencies.map((row) => (
          <section key={row.currency} class="currency-group" aria-label={row.currency}>
            <CurrencyHead row={row} isOnly={currencies.length === 1} />
            <div class="halves">
              {rowsOf(words.goals.byEvent, "events", row.currency, events)}
              {rowsOf(words.goals.byPage, "pages", row.currency, pages)}
            </div>
          </section>
        ))
      )
    }
  </ReportView>
);
