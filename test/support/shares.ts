/** Share links on a record store, without a service around them. */
import { randomBytes } from "node:crypto";
import { Shares, type ShareSettings } from "../../src/runtime/access/shares.ts";
import { createSha256 } from "../../src/runtime/base/bytes.ts";
import { GuestTokens } from "../../src/runtime/access/expiring-tokens.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import { START_MS } from "./in-process-target.ts";
import { createRecordingLog } from "./recording-log.ts";
import { siteId } from "./stored-event.ts";

const sha256 = await createSha256();

const guestTokens = new GuestTokens({
  ttlSecs: 1,
  tokensMax: 1,
  tokensOfShareMax: 1,
  sha256,
  randomBytes,
  now: () => 0,
  monotonicMs: () => 0,
});

export const openShares = (records: RecordStore): Promise<Shares> =>
  Shares.open({ records, sha256, randomBytes, guestTokens, log: createRecordingLog(), now: () => START_MS });

/** A link that shows everything of a site. */
export const plainShare = (site: string, name: string): ShareSettings => ({
  siteId: siteId(site),
  name,
  filters: "",
  dates: null,
  hasRealtime: true,
  hasRawExport: true,
  expiresAt: null,
  frameAncestors: [],
});

/** What is listed, in order of creation: the name of each link, and whether it is revoked. */
export const listOf = (shares: Shares): string[] => shares.list().map(({ name, revoked }) => (revoked ? `${name}, revoked` : name));
