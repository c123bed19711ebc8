/** What a raw export has in the form of JSON. */
import type { EventColumn } from "../../../storage/event-columns.ts";
import { closed, list, orNull, text, type Schema } from "../../query/json-schema.ts";
import { MONEY } from "../measures/fields.ts";
import { COLUMNS } from "./raw-export.ts";

function valueOf({ kind, required }: EventColumn): Schema {
  if (kind === "timestamp") return text("UTC.", { format: "date-time" });
  if (kind === "cents") return { ...orNull(MONEY), description: `${MONEY.description} Null where none was recorded.` };
  if (kind === "json")
    return { type: ["object", "null"], description: "As it was sent. Null where nothing was recorded.", additionalProperties: true };
  return required ? text("As recorded.") : orNull(text("Null where it was not recorded."));
}

export const RAW_EXPORT = list(
  "`raw`: an object for each event, oldest first. Visitor ids are never part of it.",
  closed(Object.fromEntries(COLUMNS.map((column) => [column.name, valueOf(column)]))),
);
