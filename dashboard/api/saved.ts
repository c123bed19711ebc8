/** What readers save for a site: segments (filters, funnels and sequences) and annotations (docs/http-api.md, "Segments", "Annotations"). */
import { json, sendJson, urlOf, type Parameters } from "./http.ts";
import { randomText } from "./random-text.ts";
import { store, stored } from "./stored.ts";
import type { NewAnnotation, NewSegment, SiteAnnotation, SiteAnnotations, SiteSegments } from "./types.ts";

const OWNER_KEY = "sandpiper.owner";

/** Creates the secret that makes this browser the owner of what is saved "only for me". */
function newOwner(): string {
  const owner = randomText();
  store("local", OWNER_KEY, owner);
  return owner;
}

/** Adds the owner's secret to a request. Without one, `isForOneself` creates it. */
function asOwner(init: RequestInit, isForOneself = false): RequestInit {
  const owner = stored("local", OWNER_KEY) ?? (isForOneself ? newOwner() : null);
  return owner === null ? init : { ...init, headers: { ...(init.headers as Record<string, string> | undefined), "X-Owner": owner } };
}

export type Segment = SiteSegments[number];

const segmentPath = (siteId: string, id: string): string => urlOf(`/api/segments/${id}`, { site_id: siteId });

export const listSegments = (siteId: string): Promise<SiteSegments> => sendJson(urlOf("/api/segments", { site_id: siteId }), asOwner({}));
export const addSegment = (siteId: string, segment: NewSegment): Promise<Segment> =>
  sendJson(urlOf("/api/segments", { site_id: siteId }), asOwner(json("POST", segment), segment.scope === "oneself"));
export const replaceSegment = (siteId: string, id: string, segment: NewSegment): Promise<Segment> =>
  sendJson(segmentPath(siteId, id), asOwner(json("PUT", segment)));
export const deleteSegment = (siteId: string, id: string): Promise<unknown> => sendJson(segmentPath(siteId, id), json("DELETE"));

export type Annotation = SiteAnnotation;

export const annotationsPath = (scope: Parameters): string => urlOf("/api/annotations", scope);
const annotationPath = (siteId: string, id: string): string => urlOf(`/api/annotations/${id}`, { site_id: siteId });

export const fetchAnnotations = (path: string, signal: AbortSignal): Promise<SiteAnnotations> => sendJson(path, asOwner({ signal }));
export const addAnnotation = (siteId: string, annotation: NewAnnotation): Promise<Annotation> =>
  sendJson(annotationsPath({ site_id: siteId }), asOwner(json("POST", annotation), annotation.scope === "oneself"));
export const replaceAnnotation = (siteId: string, id: string, annotation: NewAnnotation): Promise<Annotation> =>
  sendJson(annotationPath(siteId, id), asOwner(json("PUT", annotation), annotation.scope === "oneself"));
export const deleteAnnotation = (siteId: string, id: string): Promise<unknown> => sendJson(annotationPath(siteId, id), json("DELETE"));
