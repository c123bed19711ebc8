/** GET /api/stats/export: a site's dates or events as a file, never cached (docs/http-api.md, "Export"). */
import {
  RESPONSE_BYTES_PER_SECOND_MIN,
  GUEST_BYTES_PER_SECOND_MIN,
  GUEST_BYTES_PER_SECOND_MIN_WANTED,
} from "../runtime/base/config/limits.ts";
import { EXPORT_ROWS_DEFAULT, EXPORT_ROWS_MAX } from "../runtime/base/config/report-limits.ts";
import { PRODUCT_NAME } from "../runtime/base/config/names.ts";
import { oneOf, rowLimit } from "../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS, scopeOf } from "../runtime/query/scope-parameters.ts";
import { csvFormat, jsonFormat } from "../runtime/reports/exports/formats.ts";
import { dailyExport } from "../runtime/reports/exports/daily-export.ts";
import { RawExport } from "../runtime/reports/exports/raw-export.ts";
import { askerOf, exporterOf, stillShown } from "./access.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";
import { fileReply, timeZoneHeaders } from "./reply.ts";
import type { StreamSource } from "./response-streams.ts";

/** The rates at which a client has to read an export. */
const ratesOf = (isGuest: boolean, wantedSinceMs: () => number | null): Pick<StreamSource, "bytesPerSecondMin" | "whileWanted"> =>
  isGuest
    ? {
        bytesPerSecondMin: GUEST_BYTES_PER_SECOND_MIN,
        whileWanted: { bytesPerSecondMin: GUEST_BYTES_PER_SECOND_MIN_WANTED, sinceMs: wantedSinceMs },
      }
    : { bytesPerSecondMin: RESPONSE_BYTES_PER_SECOND_MIN };

const FORMATS = { csv: csvFormat, json: jsonFormat } as const;

/** In addition to the parameters of the scope. */
export const EXPORT_PARAMETERS = {
  kind: oneOf("One row for each date, or one for each event.", ["daily", "raw"]),
  format: oneOf("The file format.", ["csv", "json"]),
  limit: rowLimit("Maximum number of events, the oldest ones; `raw` only.", EXPORT_ROWS_MAX, EXPORT_ROWS_DEFAULT),
};

export const getExport: Handler = async (request, context) => {
  const { services, reader, url, deadline, streams } = context;
  const query = new Query(url);
  const scope = await scopeOf(query.parse(SCOPE_PARAMETERS), reader);
  const { kind, format: formatName, limit } = query.parse(EXPORT_PARAMETERS);
  const format = FORMATS[formatName];
  const asker = askerOf(context);
  const memory = services.exportMemory.open(asker.isGuest);
  const {
    result: chunks,
    wantedSinceMs,
    release,
  } = await services.stats
    .held(
      scope.siteId,
      async (executor): Promise<Iterable<Uint8Array>> => {
        await services.filterCheck.check(scope.conditions, asker);
        return kind === "daily"
          ? executor.run(dailyExport(scope, format), asker)
          : executor.scan(scope, () => new RawExport({ scope, rowsMax: limit, format, memory }), asker);
      },
      asker,
      exporterOf(request, context),
    )
    .catch((error: unknown) => {
      memory.clear();
      throw error;
    });
  const onEnd = () => {
    memory.clear();
    release();
  };
  const timeZone = reader.calendarOf(scope.siteId).zoneAt(reader.nowMs);
  const name = `${PRODUCT_NAME.toLowerCase()}-${kind}-${scope.range.firstDay}.${format.extension}`;
  const body = streams.open({
    ...{ chunks, onEnd, signal: deadline.signal, isAllowed: stillShown(request, context) },
    ...ratesOf(asker.isGuest, wantedSinceMs),
  });
  return fileReply(body, { name, contentType: format.contentType }, timeZoneHeaders(timeZone));
};
