/** GET /api/stats/revenue (contract 4.4): money per currency, event and page, as exact decimals. */
import { decimalFromCents } from "../../runtime/query/decimal.ts";
import { revenueOf, type CurrencyRevenue, type ValueRevenue } from "../../runtime/reports/revenue.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { figureReply } from "./figure.ts";

/** The JSON is put together by hand because a total may have more digits than a JavaScript number keeps. */
const currencyJson = (row: CurrencyRevenue): string =>
  `{"currency":${JSON.stringify(row.currency)},"total":${decimalFromCents(row.totalCents)},` +
  `"transactions":${row.transactions},"paying_visitors":${row.payingVisitors},` +
  `"average_order_value":${JSON.stringify(row.averageOrderValue)}}`;

const valueJson = (row: ValueRevenue): string =>
  `{"value":${JSON.stringify(row.value)},"currency":${JSON.stringify(row.currency)},` +
  `"total":${decimalFromCents(row.totalCents)},"transactions":${row.transactions}}`;

export const getRevenue: Handler = (_request, context) => {
  const scope = new Query(context.url).scope(context.nowMs);
  return figureReply(context, { name: "revenue", scope }, async (over) => {
    const { byCurrency, byEvent, byPage } = await over(scope, (ask) => revenueOf(ask, scope));
    return (
      `{"by_currency":[${byCurrency.map(currencyJson).join(",")}],` +
      `"by_event":[${byEvent.map(valueJson).join(",")}],"by_page":[${byPage.map(valueJson).join(",")}]}`
    );
  });
};
