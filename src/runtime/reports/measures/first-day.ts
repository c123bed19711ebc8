/** The first date of a scope that has a matching event: where `period=all` begins for viewers who see only such events. */
import { DAY_MS, utcDateOf, type LocalDate } from "../../../storage/event.ts";
import { planOf, type Plan } from "../../execution/plan.ts";
import { DAY_BUCKET } from "../../query/buckets.ts";
import { numberIn } from "../../query/row-values.ts";
import type { Scope } from "../../query/scope.ts";
import { visitorCountsBy } from "./visitor-counts.ts";

/** Null without such an event. */
export const firstDayPlan = (scope: Scope): Plan<LocalDate | null> =>
  planOf(scope, [visitorCountsBy(scope, DAY_BUCKET)], (rows) => {
    const first = rows.reduce((least, row) => Math.min(least, numberIn(row, "bucket")), Number.POSITIVE_INFINITY);
    return Number.isFinite(first) ? utcDateOf(first * DAY_MS) : null;
  });
