/** A row for each day of a scope (contract 4.4, "export", `daily`). */
import { DAY_MS, utcDayOf } from "../../../storage/event.ts";
import { queryDailyTop } from "../queries/daily-export.ts";
import { querySeries } from "../queries/series.ts";
import type { Ask } from "../../execution/asked-range.ts";
import { numberIn } from "../../query/row-values.ts";
import type { Scope } from "../../query/scope.ts";
import type { ExportFormat } from "./export-format.ts";

const COLUMNS = ["date", "visitors", "pageviews", "top_page", "top_source"] as const;

/** Every day of the range, oldest first: zeros and empty texts where nothing happened. */
export async function exportDaily(ask: Ask, scope: Scope, format: ExportFormat): Promise<Iterable<Uint8Array>> {
  const answers = await ask(
    querySeries(scope, DAY_MS),
    queryDailyTop(scope, "pathname", "(unknown)"),
    queryDailyTop(scope, "referrer_source", "(direct)"),
  );
  const [counts, pages, sources] = answers.map((rows) => new Map(rows.map((row) => [numberIn(row, "bucket_ms"), row])));
  const frame = format.frame(COLUMNS);
  const rows = Array.from({ length: scope.range.dayCount }, (_, day) => {
    const dayMs = scope.range.startMs + day * DAY_MS;
    const values = [
      format.text(utcDayOf(dayMs)),
      format.number(String(numberIn(counts?.get(dayMs), "visitors"))),
      format.number(String(numberIn(counts?.get(dayMs), "pageviews"))),
      format.text(String(pages?.get(dayMs)?.value ?? "")),
      format.text(String(sources?.get(dayMs)?.value ?? "")),
    ];
    return frame.map((chunk, i) => chunk + (values[i] ?? "")).join("");
  });
  return [new TextEncoder().encode(format.opening(COLUMNS) + rows.join(format.separator) + format.closing)];
}
