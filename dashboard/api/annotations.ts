/** The endpoints of a site's annotations (docs/http-api.md, "Annotations"). */
import { json } from "./admin.ts";
import { sendJson, urlOf, type Parameters } from "./http.ts";
import { asOwner } from "./owner.ts";
import type { NewAnnotation, SiteAnnotation, SiteAnnotations } from "./types.ts";

export type Annotation = SiteAnnotation;

/** Everybody's, and this browser's, of the dates of a scope. */
export const annotationsPath = (scope: Parameters): string => urlOf("/api/annotations", scope);

export const fetchAnnotations = (path: string, signal: AbortSignal): Promise<SiteAnnotations> => sendJson(path, asOwner({ signal }));

const isOwn = ({ scope }: NewAnnotation): boolean => scope === "oneself";

export const addAnnotation = (siteId: string, annotation: NewAnnotation): Promise<Annotation> =>
  sendJson(urlOf("/api/annotations", { site_id: siteId }), asOwner(json("POST", annotation), isOwn(annotation)));

const pathOf = (siteId: string, id: string): string => urlOf(`/api/annotations/${id}`, { site_id: siteId });

export const replaceAnnotation = (siteId: string, id: string, annotation: NewAnnotation): Promise<Annotation> =>
  sendJson(pathOf(siteId, id), asOwner(json("PUT", annotation), isOwn(annotation)));

export const deleteAnnotation = (siteId: string, id: string): Promise<unknown> => sendJson(pathOf(siteId, id), json("DELETE"));
