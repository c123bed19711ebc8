/** Rules that fields of goals, saved filters, annotations and rules share, and who owns an item (docs/privacy.md, "What is not stored"). */
import { ITEM_NAME_CHARS_MAX } from "../../shared/limits.ts";
import { required, trimmedField, withDefault, wordField } from "../base/body.ts";
import { invalidInput } from "../base/errors.ts";
import { text, word } from "../base/json-schema.ts";

export const ITEM_ID = text("Identifies it.", { pattern: "^[0-9a-f]{32}$" });

/** Fields that only listed items have. An item may be sent back as it was listed. */
export const ITEM_RESPONSE_FIELDS = { id: ITEM_ID, created_at: text("When it was made.", { format: "date-time" }) };

export const nameField = (description: string) =>
  required(trimmedField(text(description, { minLength: 1, maxLength: ITEM_NAME_CHARS_MAX })));

/** SHA-256 of a secret of the owner's, in hex. Null for everybody. */
export type ItemOwner = string | null;

export const SCOPE = withDefault(
  wordField(word("Whose it is. `oneself`: of the browser or API key that made it.", ["everybody", "oneself"])),
  "everybody",
);

type Scope = ReturnType<typeof SCOPE.check>;

/** True if it is for everybody or the caller's own: then the caller sees it in lists, and may change it. */
export const isOf = (owner: ItemOwner, caller: ItemOwner): boolean => owner === null || owner === caller;

/** 400 for `oneself` if the caller has no secret to be known by. */
export function ownerIn(scope: Scope, caller: ItemOwner): ItemOwner {
  if (scope === "oneself" && caller === null) throw invalidInput('Field "scope": "oneself" needs an API key, or the header X-Owner');
  return scope === "oneself" ? caller : null;
}

export const scopeJson = (owner: ItemOwner): Scope => (owner === null ? "everybody" : "oneself");

export function storedOwner(owner: unknown): ItemOwner {
  if (owner === null || (typeof owner === "string" && /^[0-9a-f]{64}$/.test(owner))) return owner;
  throw new Error("an entry has no owner");
}
