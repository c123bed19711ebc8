/** The pseudonymous visitor id: a hash of site, address and User-Agent with the salt of the period (docs/http-api.md, "Visitor ids"). */
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import type { HmacSha256 } from "./hmac-sha256.ts";
import type { VisitorSalts } from "./visitor-salts.ts";

export interface Visit {
  readonly siteId: SiteId;
  /** Used for the hash only. */
  readonly clientAddress: string;
  /** The whole header. */
  readonly userAgent: string;
  readonly timestampMs: EpochMs;
  /** A date of the site's calendar. */
  readonly date: LocalDate;
  /** The time zone that the site is in at that instant. */
  readonly timeZone: string;
}

export interface VisitorIds {
  /** The first 64 bits of HMAC-SHA256(salt, site | address | User-Agent), unsigned. Throws when the salt of the period is missing. */
  visitorIdOf(visit: Visit): bigint;
}

export interface VisitorIdOptions {
  readonly hmac: HmacSha256;
  readonly salts: Pick<VisitorSalts, "keyAt">;
}

export const createVisitorIds = ({ hmac, salts }: VisitorIdOptions): VisitorIds => ({
  visitorIdOf({ siteId, clientAddress, userAgent, timestampMs, date, timeZone }) {
    const key = salts.keyAt(timeZone, timestampMs, date);
    if (key === null) throw new Error("the visitor salt of this period is missing");
    const code = hmac.digest(key, `${siteId}|${clientAddress}|${userAgent}`);
    return new DataView(code.buffer, code.byteOffset).getBigUint64(0);
  },
});
