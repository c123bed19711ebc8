/** What came in, each currency by itself. */
import { RowList } from "../cards/row-list.tsx";
import { Empty, FigureView } from "../components/states.tsx";
import { scope } from "../state/view.ts";
import { useFigure, type Figure } from "../state/use-report.ts";
import type { Figures } from "../api/service.ts";
import { countOf, moneyText } from "../format/numbers.ts";

type Takings = Figures["revenue"]["by_event"];

const TakingsList = ({ title, takings }: { readonly title: string; readonly takings: Takings }) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    <RowList
      label={title}
      rows={takings.slice(0, 9).map(({ value, currency, total, transactions }) => ({
        key: `${value} ${currency}`,
        label: value,
        count: total,
        share: null,
        unit: `in ${countOf(transactions, "transaction")}`,
        text: moneyText(total, currency),
      }))}
    />
  </section>
);

export function Revenue() {
  const figure: Figure<Figures["revenue"]> = useFigure("revenue", scope.value);
  return (
    <FigureView figure={figure}>
      {({ by_currency, by_event, by_page }) =>
        by_currency.length === 0 ? (
          <Empty>
            No revenue yet. Events carry it as <code>svc("Purchase", {'{ revenue: 29.9, currency: "EUR" }'})</code>.
          </Empty>
        ) : (
          <>
            <ul class="currencies">
              {by_currency.map(({ currency, total, transactions, paying_visitors, average_order_value }) => (
                <li key={currency}>
                  <span class="dim">{currency}</span>
                  <strong>{moneyText(total, currency)}</strong>
                  <span class="dim">
                    {countOf(transactions, "transaction")}, {countOf(paying_visitors, "paying visitor")},{" "}
                    {moneyText(average_order_value, currency)} on average
                  </span>
                </li>
              ))}
            </ul>
            <div class="halves">
              <TakingsList title="By event" takings={by_event} />
              <TakingsList title="By page" takings={by_page} />
            </div>
          </>
        )
      }
    </FigureView>
  );
}
