/** What a scope's events brought in, per currency, event and page (contract 4.4). */
import { queryRevenueBy, queryRevenueByCurrency } from "./queries/revenue.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, ratio, textIn } from "../query/row-values.ts";
import type { SqlRow } from "../engine/engine.ts";
import type { Scope } from "../query/scope.ts";

interface Takings {
  readonly currency: string;
  /** Exact. */
  readonly totalCents: bigint;
  /** Events with a revenue amount; refunds are such events. */
  readonly transactions: number;
}

export interface CurrencyRevenue extends Takings {
  readonly payingVisitors: number;
  /** In units of the currency. */
  readonly averageOrderValue: number;
}

export interface ValueRevenue extends Takings {
  readonly value: string;
}

export interface Revenue {
  readonly byCurrency: readonly CurrencyRevenue[];
  readonly byEvent: readonly ValueRevenue[];
  readonly byPage: readonly ValueRevenue[];
}

const takingsIn = (row: SqlRow): Takings => ({
  currency: textIn(row, "currency"),
  totalCents: BigInt(textIn(row, "total_cents")),
  transactions: numberIn(row, "transactions"),
});

const valueRevenueIn = (row: SqlRow): ValueRevenue => ({ value: textIn(row, "value"), ...takingsIn(row) });

export async function revenueOf(ask: Ask, scope: Scope): Promise<Revenue> {
  const [currencies, events, pages] = await ask(
    queryRevenueByCurrency(scope),
    queryRevenueBy(scope, "event_name"),
    queryRevenueBy(scope, "pathname"),
  );
  return {
    byCurrency: currencies.map((row) => {
      const takings = takingsIn(row);
      return {
        ...takings,
        payingVisitors: numberIn(row, "paying_visitors"),
        // One division, so that three orders of 29.90 are 29.9 on average and not a digit more.
        averageOrderValue: ratio(Number(takings.totalCents), 100 * takings.transactions),
      };
    }),
    byEvent: events.map(valueRevenueIn),
    byPage: pages.map(valueRevenueIn),
  };
}
