/** The schema of the JSON form of a raw export (docs/http-api.md, "Export"). */
import type { EventColumn } from "../../../storage/event-columns.ts";
import { closed, list, orNull, text, type Schema } from "../../query/json-schema.ts";
import { MONEY } from "../measures/fields.ts";
import { COLUMNS } from "./raw-export.ts";

function valueOf({ kind, required }: EventColumn): Schema {
  if (kind === "timestamp") return text("UTC.", { format: "date-time" });
  if (kind === "cents") return { ...orNull(MONEY), description: `${MONEY.description} Null if it was not recorded.` };
  if (kind === "json")
    return { type: ["object", "null"], description: "As it was sent. Null if it was not recorded.", additionalProperties: true };
  return required ? text("The stored value.") : orNull(text("Null if it was not recorded."));
}

export const RAW_EXPORT = list(
  "`raw`: an object for each event, oldest first, without visitor ids.",
  closed(Object.fromEntries(COLUMNS.map((column) => [column.name, valueOf(column)]))),
);
