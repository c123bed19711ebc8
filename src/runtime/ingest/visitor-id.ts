/** How a visitor is known without being recognised: an id that depends on site, address, User-Agent and the salt of the period. */
import { DAY_MS } from "../../storage/event.ts";
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { VISITOR_SALT_LABEL } from "../names.ts";
import { createHmacSha256 } from "./hmac-sha256.ts";
import type { HmacKey } from "./hmac-sha256.ts";

export interface Visit {
  readonly siteId: SiteId;
  /** Goes into the hash and nowhere else. */
  readonly clientAddress: string;
  /** The whole header, however long. */
  readonly userAgent: string;
  readonly timestampMs: EpochMs;
}

export interface VisitorIds {
  /** The first 64 bits of HMAC-SHA256(salt, site | address | User-Agent), unsigned. Takes a few microseconds. */
  visitorIdOf(visit: Visit): bigint;
}

export interface VisitorIdOptions {
  readonly secret: string | Uint8Array;
  /** A whole number from 1. */
  readonly rotationDays: number;
}

/** The visitor ids of this secret. The salt of a period is derived from it when the period's first visit comes. */
export async function createVisitorIds({ secret, rotationDays }: VisitorIdOptions): Promise<VisitorIds> {
  const hmac = await createHmacSha256();
  const secretKey = hmac.keyFrom(secret);
  // The last period's only: time hardly ever goes back, and a salt that is gone cannot leak.
  let salt: { readonly period: number; readonly key: HmacKey } | null = null;

  function saltKeyOf(period: number): HmacKey {
    if (salt === null || salt.period !== period) {
      salt = { period, key: hmac.keyFrom(hmac.digest(secretKey, `${VISITOR_SALT_LABEL}|${period}`)) };
    }
    return salt.key;
  }

  return {
    visitorIdOf({ siteId, clientAddress, userAgent, timestampMs }) {
      const period = Math.floor(Math.floor(timestampMs / DAY_MS) / rotationDays);
      const code = hmac.digest(saltKeyOf(period), `${siteId}|${clientAddress}|${userAgent}`);
      return new DataView(code.buffer, code.byteOffset).getBigUint64(0);
    },
  };
}
