/** How a visitor is known without being recognised: an id that depends on site, address, User-Agent and the salt of the period. */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import type { HmacSha256 } from "./hmac-sha256.ts";
import type { VisitorSalt } from "./visitor-salt.ts";

export interface Visit {
  readonly siteId: SiteId;
  /** Goes into the hash and nowhere else. */
  readonly clientAddress: string;
  /** The whole header, however long. */
  readonly userAgent: string;
  readonly timestampMs: EpochMs;
}

export interface VisitorIds {
  /** The first 64 bits of HMAC-SHA256(salt, site | address | User-Agent), unsigned. Takes a few microseconds. Throws where there is no salt of the instant. */
  visitorIdOf(visit: Visit): bigint;
}

export interface VisitorIdOptions {
  readonly hmac: HmacSha256;
  readonly salt: Pick<VisitorSalt, "keyAt">;
}

export const createVisitorIds = ({ hmac, salt }: VisitorIdOptions): VisitorIds => ({
  visitorIdOf({ siteId, clientAddress, userAgent, timestampMs }) {
    const key = salt.keyAt(timestampMs);
    if (key === null) throw new Error("the salt of this instant is not there");
    const code = hmac.digest(key, `${siteId}|${clientAddress}|${userAgent}`);
    return new DataView(code.buffer, code.byteOffset).getBigUint64(0);
  },
});
