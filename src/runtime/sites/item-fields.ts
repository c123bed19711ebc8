/** Rules that fields of goals, saved filters and annotations share, and who owns an item (docs/privacy.md, "What is not stored"). */
import type { JsonObject } from "../../storage/json-record.ts";
import { refuseUnknownFields, requiredText, optionalText } from "../base/config/json-fields.ts";
import { invalidInput } from "../base/errors.ts";
import { exceedsChars } from "../../shared/text.ts";
import { ITEM_NAME_CHARS_MAX } from "../../shared/limits.ts";

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

/** SHA-256 of a secret of the owner's, in hex. Null for everybody. */
export type ItemOwner = string | null;

export const ITEM_SCOPES = ["everybody", "oneself"] as const;

/** True if it is for everybody or the caller's own: then the caller sees it in lists, and may change it. */
export const isOf = (owner: ItemOwner, caller: ItemOwner): boolean => owner === null || owner === caller;

/** 400 for another word, and if the caller has no secret to be known by. */
export function parseOwner(body: JsonObject, caller: ItemOwner): ItemOwner {
  const scope = optionalText(body, "scope") ?? ITEM_SCOPES[0];
  if (scope === "everybody") return null;
  if (scope !== "oneself") throw invalidInput(`Field "scope" must be one of ${ITEM_SCOPES.join(", ")}`);
  if (caller === null) throw invalidInput('Field "scope": "oneself" needs an API key, or the header X-Owner');
  return caller;
}

export const scopeJson = (owner: ItemOwner): (typeof ITEM_SCOPES)[number] => (owner === null ? "everybody" : "oneself");

/** Parses a stored owner. */
export function storedOwner({ owner }: JsonObject): ItemOwner {
  if (owner === null || (typeof owner === "string" && /^[0-9a-f]{64}$/.test(owner))) return owner;
  throw new Error("an entry has no owner");
}
