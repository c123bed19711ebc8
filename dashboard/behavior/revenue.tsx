/** The revenue report: totals per currency, by event and by page. */
import type { Reports } from "../api/types.ts";
import { RowList } from "../cards/row-list.tsx";
import { Empty, ReportView } from "../components/states.tsx";
import { countOf, formatMoney } from "../format/locale.ts";
import { TRACK_FUNCTION } from "../names.ts";
import { useReport } from "../state/use-report.ts";
import { scope } from "../state/view.ts";

const ROWS = 9;

type Revenue = Reports["revenue"];

const RevenueRows = ({ title, rows }: { readonly title: string; readonly rows: Revenue["by_event"] }) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    <RowList
      label={title}
      rows={rows.slice(0, ROWS).map(({ value, currency, total, transactions }) => ({
        key: `${value} ${currency}`,
        label: value,
        count: total,
        share: null,
        unit: `in ${countOf(transactions, "transaction")}`,
        text: formatMoney(total, currency),
      }))}
    />
  </section>
);

const CurrencyTotals = ({ rows }: { readonly rows: Revenue["by_currency"] }) => (
  <ul class="currencies">
    {rows.map(({ currency, total, transactions, paying_visitors, average_order_value }) => (
      <li key={currency}>
        <span class="dim">{currency}</span>
        <strong>{formatMoney(total, currency)}</strong>
        <span class="dim">
          {countOf(transactions, "transaction")}, {countOf(paying_visitors, "paying visitor")}, {formatMoney(average_order_value, currency)}{" "}
          on average
        </span>
      </li>
    ))}
  </ul>
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
          <>
            <CurrencyTotals rows={by_currency} />
            <div class="halves">
              <RevenueRows title="By event" rows={by_event} />
              <RevenueRows title="By page" rows={by_page} />
            </div>
          </>
        )
      }
    </ReportView>
  );
}
