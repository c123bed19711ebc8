/** Imports: uploads of other products' files, and what becomes of them (docs/http-api.md, "Imports"). */
import { json, sendJson, urlOf } from "./http.ts";
import type { Import, NewImport } from "./types.ts";

export const IMPORTS_PATH = "/api/imports";

export const importPath = (id: number): string => `${IMPORTS_PATH}/${id}`;

export const getImport = (id: number): Promise<Import> => sendJson(importPath(id), {});

export const beginImport = (asked: NewImport): Promise<Import> => sendJson(IMPORTS_PATH, json("POST", asked));

/** Resolves once the part is stored. */
export const putPart = (id: number, file: number, offset: number, part: ArrayBuffer): Promise<Import> =>
  sendJson(urlOf(`${importPath(id)}/files/${file}`, { offset }), {
    method: "PUT",
    headers: { "Content-Type": "application/octet-stream" },
    body: part,
  });

/** `confirm` runs an import whose manifest is ready. */
export const changeImport = (id: number, change: "confirm" | "hide" | "show"): Promise<Import> =>
  sendJson(`${importPath(id)}/${change}`, json("POST"));

export const deleteImport = (id: number): Promise<unknown> => sendJson(importPath(id), json("DELETE"));
