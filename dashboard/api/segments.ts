/** The endpoints of a site's segments: saved filters, funnels and sequences (docs/http-api.md, "Segments"). */
import { store, stored } from "../state/stored.ts";
import { json } from "./admin.ts";
import { sendJson, urlOf } from "./http.ts";
import type { NewSegment, SiteSegments } from "./types.ts";

export type Segment = SiteSegments[number];

const OWNER_KEY = "sandpiper.owner";
const OWNER_BYTES = 24;

/** By which the service knows this browser again. It gets one with the first segment of its own. */
function newOwner(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(OWNER_BYTES));
  const owner = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  store("local", OWNER_KEY, owner);
  return owner;
}

function asOwner(init: RequestInit, isForOneself = false): RequestInit {
  const owner = stored("local", OWNER_KEY) ?? (isForOneself ? newOwner() : null);
  return owner === null ? init : { ...init, headers: { ...(init.headers as Record<string, string> | undefined), "X-Owner": owner } };
}

const listPath = (siteId: string): string => urlOf("/api/segments", { site_id: siteId });
const pathOf = (siteId: string, id: string): string => urlOf(`/api/segments/${id}`, { site_id: siteId });

/** Everybody's, and this browser's. */
export const listSegments = (siteId: string): Promise<SiteSegments> => sendJson(listPath(siteId), asOwner({}));
export const addSegment = (siteId: string, segment: NewSegment): Promise<Segment> =>
  sendJson(listPath(siteId), asOwner(json("POST", segment), segment.scope === "oneself"));
export const replaceSegment = (siteId: string, id: string, segment: NewSegment): Promise<Segment> =>
  sendJson(pathOf(siteId, id), asOwner(json("PUT", segment)));
export const deleteSegment = (siteId: string, id: string): Promise<unknown> => sendJson(pathOf(siteId, id), asOwner(json("DELETE")));
