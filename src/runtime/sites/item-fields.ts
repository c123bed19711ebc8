/** The rules that fields of goals, segments and annotations share. */
import type { JsonObject } from "../../storage/json-record.ts";
import { exceedsChars } from "../base/text.ts";
import { ITEM_NAME_CHARS_MAX } from "../base/config/admin-limits.ts";
import { refuseUnknownFields, requiredText } from "../base/config/json-fields.ts";
import { invalidInput } from "../base/errors.ts";

/** 400 for a text that is empty, or longer than its limit. */
export function checkedText(field: string, text: string, charsMax: number): string {
  if (text.trim() !== "" && !exceedsChars(text, charsMax)) return text;
  throw invalidInput(`Field "${field}" must be 1 to ${charsMax} characters and not only spaces`);
}

/** A required text, without the spaces around it. */
export const trimmedText = (body: JsonObject, field: string, charsMax: number): string =>
  checkedText(field, requiredText(body, field).trim(), charsMax);

export const parseItemName = (body: JsonObject): string => trimmedText(body, "name", ITEM_NAME_CHARS_MAX);

/** 400 for a field that is neither one of these nor in responses only: an item can be sent back as it was listed. */
export const refuseUnknownItemFields = (body: JsonObject, fields: readonly string[]): void =>
  refuseUnknownFields(body, fields, ["id", "created_at"]);
