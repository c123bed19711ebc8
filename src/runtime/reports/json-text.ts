/** JSON of a result, in which money keeps all its digits. */
import { Decimal } from "../query/decimal.ts";

/** As `JSON.stringify`, but for `Decimal`. */
export function jsonText(value: unknown): string {
  if (value instanceof Decimal) return value.digits;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonText(field)}`).join(",")}}`;
}
