/** Who owns a segment or an annotation: everybody, or one browser or API key (docs/privacy.md, "What is not stored"). */
import type { JsonObject } from "../../storage/json-record.ts";
import { optionalText } from "../base/config/json-fields.ts";
import { invalidInput } from "../base/errors.ts";

/** SHA-256 of a secret of the owner's, in hex. Null for everybody. */
export type ItemOwner = string | null;

export const ITEM_SCOPES = ["everybody", "oneself"] as const;

/** Whether it is for everybody or the caller's own: then the caller sees it in lists, and may change it. */
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

/** As stored. */
export function storedOwner({ owner }: JsonObject): ItemOwner {
  if (owner === null || (typeof owner === "string" && /^[0-9a-f]{64}$/.test(owner))) return owner;
  throw new Error("an entry has no owner");
}
