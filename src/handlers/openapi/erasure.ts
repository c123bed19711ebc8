/** Describes data deletion (docs/http-api.md, "Data deletion"). */
import { NOT_STORED } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { SHORT_END, query, SITE, START } from "./parameters.ts";
import { closed, count, text } from "../../runtime/query/json-schema.ts";

const date = (description: string) => text(description, { format: "date" });

export const ERASURE_SCHEMAS = {
  Erased: closed({
    status: text("Constant.", { const: "erased" }),
    site_id: text("The site."),
    start_date: date("The first date."),
    end_date: date("The last date."),
    db_records_deleted: count("Deleted events."),
    parquet_partitions_deleted: count("Dates whose files were removed."),
  }),
};

/** Filters narrow reports, but not data deletion. */
const NO_FILTERS = query("filters", {
  description: "Anything but an empty value is refused, so that nobody deletes more than intended.",
  schema: { type: "string", maxLength: 0 },
});

const NO_SEGMENT = query("segment", { description: "Any value is refused, likewise.", schema: { type: "string", maxLength: 0 } });

export const ERASURE_OPERATIONS = {
  "DELETE /api/gdpr/erase": {
    operationId: "eraseEvents",
    tag: "Erasure",
    summary: "Deletes all events of a site in a date range permanently",
    description: "Succeeds if there is nothing to delete. Events that arrive meanwhile are deleted or kept.",
    parameters: [SITE, { ...START, required: true }, { ...SHORT_END, required: true }, NO_FILTERS, NO_SEGMENT],
    answers: {
      200: {
        description: "The events are deleted from all reports, and no restart or crash brings them back.",
        headers: NOT_STORED,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Erased" } } },
      },
    },
    refusals: {
      invalid_input: "A parameter is missing or breaks its rule.",
      request_timeout: "The deletion exceeded the time limit and continues. Repeat the request to get its outcome.",
      unavailable: "Storage could not be read or changed. Some events may be deleted and others not. Repeat the request.",
    },
  },
} satisfies Readonly<Record<string, Operation>>;
