/** The endpoints of share links (docs/http-api.md, "Share links"). */
import { json } from "./admin.ts";
import { sendJson, urlOf } from "./http.ts";
import type { CreatedShare, NewShare, Shares } from "./types.ts";

export type Share = Shares[number];

export const listShares = (siteId: string): Promise<Shares> => sendJson(urlOf("/api/shares", { site_id: siteId }), {});
export const createShare = (share: NewShare): Promise<CreatedShare> => sendJson("/api/shares", json("POST", share));
export const revokeShare = (hash: string): Promise<unknown> => sendJson(`/api/shares/${hash}`, json("DELETE"));
