/** GET /api/stats/export (contract 4.4): a site's days or events as a file, always of now. */
import { EXPORT_ROWS_DEFAULT, EXPORT_ROWS_MAX } from "../../runtime/config/limits.ts";
import { PRODUCT_NAME } from "../../runtime/config/names.ts";
import { csvFormat } from "../../runtime/reports/exports/csv-format.ts";
import { exportDaily } from "../../runtime/reports/exports/daily-export.ts";
import { jsonFormat } from "../../runtime/reports/exports/json-format.ts";
import { exportRaw } from "../../runtime/reports/exports/raw-export.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { NO_STORE } from "../reply.ts";

/** What a row stands for: a day or an event. */
export const EXPORT_KINDS = ["daily", "raw"] as const;

export const EXPORT_FORMATS = ["csv", "json"] as const;

const FORMATS = { csv: csvFormat, json: jsonFormat } as const;

export const getExport: Handler = async (_request, { services, nowMs, url, deadline, streams }) => {
  const query = new Query(url);
  const scope = query.scope(nowMs);
  const kind = query.choice("kind", EXPORT_KINDS);
  const format = FORMATS[query.choice("format", EXPORT_FORMATS)];
  const rowsMax = query.integer("limit", { min: 1, max: EXPORT_ROWS_MAX, otherwise: EXPORT_ROWS_DEFAULT });
  const memory = services.exportMemory.open();
  const { answer: chunks, release } = await services.stats
    .held(deadline.signal, (over) =>
      over({ ...scope, withProperties: kind === "raw" }, (ask, stretches) =>
        kind === "daily" ? exportDaily(ask, scope, format) : exportRaw(stretches, { scope, rowsMax, format, memory }),
      ),
    )
    .catch((error: unknown) => {
      memory.clear();
      throw error;
    });
  const onEnd = () => {
    memory.clear();
    release();
  };
  const fileName = `${PRODUCT_NAME.toLowerCase()}-${kind}-${scope.range.firstDay}.${format.extension}`;
  return {
    status: 200,
    headers: { "Content-Type": format.contentType, "Content-Disposition": `attachment; filename="${fileName}"`, ...NO_STORE },
    body: streams.open({ chunks, onEnd, signal: deadline.signal }),
  };
};
