/** The endpoints of a site's segments: saved filters, funnels and sequences (docs/http-api.md, "Segments"). */
import { json } from "./admin.ts";
import { sendJson, urlOf } from "./http.ts";
import { asOwner } from "./owner.ts";
import type { NewSegment, SiteSegments } from "./types.ts";

export type Segment = SiteSegments[number];

const listPath = (siteId: string): string => urlOf("/api/segments", { site_id: siteId });
const pathOf = (siteId: string, id: string): string => urlOf(`/api/segments/${id}`, { site_id: siteId });

/** Everybody's, and this browser's. */
export const listSegments = (siteId: string): Promise<SiteSegments> => sendJson(listPath(siteId), asOwner({}));
export const addSegment = (siteId: string, segment: NewSegment): Promise<Segment> =>
  sendJson(listPath(siteId), asOwner(json("POST", segment), segment.scope === "oneself"));
export const replaceSegment = (siteId: string, id: string, segment: NewSegment): Promise<Segment> =>
  sendJson(pathOf(siteId, id), asOwner(json("PUT", segment)));
export const deleteSegment = (siteId: string, id: string): Promise<unknown> => sendJson(pathOf(siteId, id), json("DELETE"));
