/** Describes erasure (docs/http-api.md, "Data deletion"). */
import { NOT_STORED } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { END, query, SITE, START } from "./parameters.ts";
import { closed, count, text } from "../../runtime/query/json-schema.ts";

const date = (description: string) => text(description, { format: "date" });

export const ERASURE_SCHEMAS = {
  Erased: closed({
    status: text("The only value.", { const: "erased" }),
    site_id: text("The site."),
    start_date: date("The first date."),
    end_date: date("The last date."),
    db_records_deleted: count("Events that were erased."),
    parquet_partitions_deleted: count("Dates whose files were removed."),
  }),
};

/** What narrows figures does not narrow this. */
const NO_FILTERS = query("filters", {
  description: "Refused unless it is empty: an erasure is of all events of its dates.",
  schema: { type: "string", maxLength: 0 },
});

export const ERASURE_OPERATIONS = {
  "DELETE /api/gdpr/erase": {
    operationId: "eraseEvents",
    tag: "Erasure",
    summary: "Erases a site's events of some dates, for good",
    description: "Erasing what is not there is fine. Events that come meanwhile are erased or kept.",
    parameters: [SITE, { ...START, required: true }, { ...END, required: true }, NO_FILTERS],
    answers: {
      200: {
        description: "No crash brings the events back, and no answer shows them.",
        headers: NOT_STORED,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Erased" } } },
      },
    },
    refusals: {
      invalid_input: "A parameter is missing or breaks its rule.",
      request_timeout: "It takes longer than the time limit, and goes on. Try again to hear of its end.",
      unavailable: "Storage could not be read or changed. Some events may be erased and others not. Try again.",
    },
  },
} satisfies Readonly<Record<string, Operation>>;
