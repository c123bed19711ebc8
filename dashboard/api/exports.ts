/** Archives of sites (docs/http-api.md, "Archives of sites"). */
import { json, sendJson } from "./http.ts";
import type { NewSiteExport, SiteExport } from "./types.ts";

export const EXPORTS_PATH = "/api/exports";

const exportPath = (id: string): string => `${EXPORTS_PATH}/${id}`;

/** The address for a link, because browsers write a download of many gigabytes to the disk as it comes. */
export const exportFilePath = (id: string): string => `${exportPath(id)}/file`;

export const beginExport = (asked: NewSiteExport): Promise<SiteExport> => sendJson(EXPORTS_PATH, json("POST", asked));

export const deleteExport = (id: string): Promise<unknown> => sendJson(exportPath(id), json("DELETE"));
