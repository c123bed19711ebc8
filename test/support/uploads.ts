/** Uploads to /api/imports, for tests of what imports do. */
import type { ManifestJson } from "../../src/runtime/imports/manifest-json.ts";
import type { Reconciliation } from "../../src/runtime/imports/reconciliation.ts";
import { bodyOf } from "./auth-requests.ts";
import type { InProcessTarget } from "./in-process-target.ts";
import type { RequestHeaders } from "./requests.ts";
import type { Target } from "./target.ts";
import { IMPORT_PART_BYTES_MAX } from "../../src/shared/limits.ts";

export interface ImportJson {
  readonly import_id: number;
  readonly site_id: string;
  readonly state: string;
  readonly failure: string | null;
  readonly product: string | null;
  readonly events: number;
  readonly days: number;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly received: number }[];
  readonly manifest: ManifestJson | null;
  readonly reconciliation: Reconciliation | null;
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

const bytesOf = (content: string | Uint8Array): Uint8Array => (typeof content === "string" ? new TextEncoder().encode(content) : content);

export const askImports = (
  target: Target,
  headers: RequestHeaders,
  path: string,
  { method = "GET", body }: { readonly method?: string; readonly body?: string | Uint8Array } = {},
): Promise<Response> =>
  target.fetch(`/api/imports${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? body : Uint8Array.from(body) }),
  });

export const getImport = async (target: Target, headers: RequestHeaders, id: number): Promise<ImportJson> =>
  bodyOf(await askImports(target, headers, `/${id}`));

export async function beginUpload(target: Target, headers: RequestHeaders, siteId: string, files: Files): Promise<ImportJson> {
  const given = Object.entries(files).map(([name, content]) => ({ name, bytes: bytesOf(content).length }));
  const body = JSON.stringify({ site_id: siteId, files: given });
  return bodyOf(await askImports(target, headers, "", { method: "POST", body }), 201);
}

/** Sends what the server lacks. */
export async function sendParts(target: Target, headers: RequestHeaders, id: number, files: Files): Promise<ImportJson> {
  let now = await getImport(target, headers, id);
  for (const [i, content] of Object.values(files).entries()) {
    const bytes = bytesOf(content);
    for (let offset = now.files[i]?.received ?? 0; offset < bytes.length; offset = now.files[i]?.received ?? 0) {
      const body = bytes.subarray(offset, offset + IMPORT_PART_BYTES_MAX);
      now = await bodyOf(await askImports(target, headers, `/${id}/files/${i}?offset=${offset}`, { method: "PUT", body }));
    }
  }
  return now;
}

/** Lets the background read until nothing is left to do. */
export async function whenRead(target: InProcessTarget): Promise<void> {
  const { imports } = target.services;
  do {
    await target.advance(1000);
    await imports?.job.settled();
  } while (imports?.all.some(({ state }) => state === "reading" || state === "running"));
}

/** The import with its manifest. */
export async function upload(target: InProcessTarget, headers: RequestHeaders, siteId: string, files: Files): Promise<ImportJson> {
  const { import_id: id } = await beginUpload(target, headers, siteId, files);
  await sendParts(target, headers, id, files);
  await whenRead(target);
  return getImport(target, headers, id);
}

/** The import when it is shown. */
export async function confirm(target: InProcessTarget, headers: RequestHeaders, id: number): Promise<ImportJson> {
  await bodyOf(await askImports(target, headers, `/${id}/confirm`, { method: "POST" }));
  await whenRead(target);
  return getImport(target, headers, id);
}

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A line of a web server's log, at an instant such as `2026-01-31T23:59:58`. */
export function logLine(at: string, path: string, { address = "203.0.113.7", userAgent = FIREFOX } = {}): string {
  const [date = "", time = ""] = at.split("T");
  const [year, month, day] = date.split("-");
  return `${address} - - [${day}/${MONTHS[Number(month) - 1]}/${year}:${time} +0000] "GET ${path} HTTP/1.1" 200 5120 "-" "${userAgent}"\n`;
}

/** Rows of Simple Analytics' export, whose events have ids. */
export const datapoints = (rows: readonly (readonly [at: string, path: string, id: string])[]): string =>
  [
    "added_iso,country_code,datapoint,document_referrer,duration_seconds,hostname,is_robot,is_unique,path,query,screen_width,user_agent,utm_source,uuid",
    ...rows.map(([at, path, id]) => `${at}.000Z,DE,pageview,,31,example.com,false,true,${path},,1920,"${FIREFOX}",,${id}`),
    "",
  ].join("\n");
