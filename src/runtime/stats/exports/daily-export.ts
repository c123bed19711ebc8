/** A row for each day of a scope (contract 4.4, "export", `daily`). */
import { DAY_MS, utcDayOf } from "../../../storage/event.ts";
import { queryDailyTop } from "../queries/daily-export.ts";
import { querySeries } from "../queries/series.ts";
import type { Ask } from "../query-runner.ts";
import { numberIn } from "../row-values.ts";
import type { Scope } from "../scope.ts";
import type { SqlText } from "../sql.ts";
import type { ExportFormat } from "./export-format.ts";

const COLUMNS = ["date", "visitors", "pageviews", "top_page", "top_source"] as const;

/** Every day of the range, oldest first: zeros and empty texts where nothing happened. */
export async function exportDaily(ask: Ask, scope: Scope, format: ExportFormat): Promise<Iterable<Uint8Array>> {
  const byDay = async (question: SqlText) =>
    new Map((await ask(question)).map((row) => [numberIn(row, "offset_ms") / DAY_MS, row]));
  const counts = await byDay(querySeries(scope, DAY_MS));
  const pages = await byDay(queryDailyTop(scope, "pathname", "(unknown)"));
  const sources = await byDay(queryDailyTop(scope, "referrer_source", "(direct)"));
  const frame = format.frame(COLUMNS);
  const rows = Array.from({ length: scope.range.dayCount }, (_, day) => {
    const values = [
      format.text(utcDayOf(scope.range.startMs + day * DAY_MS)),
      format.number(String(numberIn(counts.get(day), "visitors"))),
      format.number(String(numberIn(counts.get(day), "pageviews"))),
      format.text(String(pages.get(day)?.value ?? "")),
      format.text(String(sources.get(day)?.value ?? "")),
    ];
    return frame.map((piece, i) => piece + (values[i] ?? "")).join("");
  });
  return [new TextEncoder().encode(format.opening(COLUMNS) + rows.join(format.separator) + format.closing)];
}
