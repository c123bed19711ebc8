/** Serializes a result as JSON in which money keeps all digits (docs/http-api.md, "Numbers"). */
import { Decimal } from "../query/decimal.ts";

/** Like `JSON.stringify`, with support for `Decimal`. */
export function jsonText(value: unknown): string {
  if (value instanceof Decimal) return value.digits;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonText(field)}`).join(",")}}`;
}
