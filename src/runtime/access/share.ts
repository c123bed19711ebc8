/**
 * A share link and its record (docs/sharing.md): everything but the link itself. What a record holds is as strictly checked as what a
 * request asks for, because it ends up in headers and reports. Filters and periods are parsed whenever they are used.
 */
import { isLocalDate, type EpochMs, type SiteId } from "../../storage/event.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { SHARE_FRAME_ANCESTORS_MAX, SHARE_NAME_CHARS_MAX } from "../base/config/admin-limits.ts";
import { exceedsChars } from "../base/text.ts";
import { isSiteId } from "../base/config/names.ts";
import { damagedRecord, isInstant, readJsonRecord, type JsonObject } from "../../storage/json-record.ts";
import { parsePhc } from "./password-hasher.ts";
import type { SharedDates, SharedView } from "./shared-view.ts";

/** What an administrator chooses. */
export interface ShareSettings extends SharedView {
  readonly siteId: SiteId;
  readonly name: string;
  /** ISO 8601, UTC; null for a link that does not expire. */
  readonly expiresAt: string | null;
  /** Origins whose pages may embed it. */
  readonly frameAncestors: readonly string[];
}

export interface Share extends ShareSettings {
  /** SHA-256 of the token, in hex. */
  readonly shareHash: string;
  /** A PHC string; null without a password. */
  readonly passwordHash: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** About a minute exact; null if it was never used. */
  readonly lastUsedAt: string | null;
  readonly revoked: boolean;
}

/** The prefix of the records. */
export const SHARES_FOLDER = "shares/";

const RECORD = /^shares\/([0-9a-f]{64})\.json$/;

export const recordOfShare = (shareHash: string): string => `${SHARES_FOLDER}${shareHash}.json`;

export const isUsable = ({ revoked, expiresAt }: Pick<Share, "revoked" | "expiresAt">, nowMs: EpochMs): boolean =>
  !revoked && (expiresAt === null || nowMs < Date.parse(expiresAt));

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const isDate = (value: unknown): value is string => isText(value) && isLocalDate(value);

function isDates(value: unknown): value is SharedDates {
  if (typeof value !== "object" || value === null) return false;
  const { period, firstDay, lastDay } = value as JsonObject;
  return period === undefined ? isDate(firstDay) && isDate(lastDay) && firstDay <= lastDay : isText(period);
}

/** An origin as browsers send it, and nothing that could end a directive of the Content-Security-Policy. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/;

export const isShareName = (name: string): boolean => name !== "" && !exceedsChars(name, SHARE_NAME_CHARS_MAX);

export const isFrameAncestor = (origin: unknown): origin is string => isText(origin) && ORIGIN.test(origin);

const areFrameAncestors = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= SHARE_FRAME_ANCESTORS_MAX && value.every(isFrameAncestor);

/** By field, what a record must have. */
const FIELDS: Readonly<Record<keyof Share, (value: unknown) => boolean>> = {
  shareHash: isText,
  siteId: (value) => isText(value) && isSiteId(value),
  name: (value) => isText(value) && isShareName(value),
  passwordHash: (value) => value === null || (isText(value) && parsePhc(value) !== null),
  filters: isText,
  dates: (value) => value === null || isDates(value),
  hasRealtime: isFlag,
  expiresAt: (value) => value === null || isInstant(value),
  frameAncestors: areFrameAncestors,
  createdAt: isInstant,
  lastUsedAt: (value) => value === null || isInstant(value),
  revoked: isFlag,
};

/** The link of a record; null when the name is not that of a share record, or the record is gone. Rejects when it is damaged. */
export async function readShare(records: Pick<RecordStore, "read">, name: string): Promise<Share | null> {
  const [, shareHash] = RECORD.exec(name) ?? [];
  const record = shareHash === undefined ? null : await readJsonRecord(records, name);
  if (record === null) return null;
  if (record["shareHash"] !== shareHash) throw damagedRecord(name, "it holds no share link of this hash");
  const [wrong] = Object.entries(FIELDS).find(([field, isValid]) => !isValid(record[field])) ?? [];
  if (wrong !== undefined) throw damagedRecord(name, `its field "${wrong}" is missing or invalid`);
  return record as unknown as Share;
}
