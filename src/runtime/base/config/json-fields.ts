/** Reads fields from a JSON body: text that is not JSON is a 400, JSON of the wrong shape a 422. */
import type { JsonObject } from "../../../storage/json-record.ts";
import { AppError, invalidInput } from "../errors.ts";
import { wellFormed } from "../../../shared/text.ts";

/** The body is JSON, but not what the endpoint expects (422). */
export const malformedBody = (message: string): AppError => new AppError({ code: "malformed_body" }, message);

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** invalid_input when the text is not JSON, malformed_body when it is not an object. */
export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of JSON.parse would quote the body.
    throw invalidInput("The body is not valid JSON");
  }
  if (!isObject(value)) throw malformedBody("The body must be a JSON object");
  return value;
}

/** `null` for an absent field. Only own properties count: `{}` has no `constructor`. */
export function fieldOf(body: JsonObject, name: string): unknown {
  return Object.hasOwn(body, name) ? (body[name] ?? null) : null;
}

/** The string, made well-formed; `null` when it is absent. malformed_body when it is not a string. */
export function optionalText(body: JsonObject, name: string): string | null {
  const value = fieldOf(body, name);
  if (value === null) return null;
  if (typeof value !== "string") throw malformedBody(`Field "${name}" must be a string`);
  return wellFormed(value);
}

/** A required field: malformed_body if it is absent. */
export function requiredText(body: JsonObject, name: string): string {
  const text = optionalText(body, name);
  if (text === null) throw malformedBody(`Field "${name}" is missing`);
  return text;
}

/** The strings of an array, made well-formed; `null` when it is absent. malformed_body for anything else. */
export function optionalTexts(body: JsonObject, name: string): readonly string[] | null {
  const value = fieldOf(body, name);
  if (value === null) return null;
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw malformedBody(`Field "${name}" must be an array of strings`);
  }
  return value.map(wellFormed);
}

/** `null` when it is absent; malformed_body when it is neither true nor false. */
export function optionalFlag(body: JsonObject, name: string): boolean | null {
  const value = fieldOf(body, name);
  if (value !== null && typeof value !== "boolean") throw malformedBody(`Field "${name}" must be true or false`);
  return value;
}

/** A misspelt field would silently have its default. `ignored`: what responses have besides, because a response may be sent back. */
export function refuseUnknownFields(body: JsonObject, fields: readonly string[], ignored: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !fields.includes(name) && !ignored.includes(name));
  if (unknown === undefined) return;
  throw invalidInput(`There is no field ${JSON.stringify(unknown.slice(0, 64))}; the fields are ${fields.join(", ")}`);
}
