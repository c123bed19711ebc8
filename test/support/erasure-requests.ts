/** Requests for data deletion, as an operator sends them. */
import { bodyOf } from "./auth-requests.ts";
import type { RequestHeaders } from "./requests.ts";
import type { Target } from "./target.ts";

export interface Erased {
  readonly status: string;
  readonly site_id: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly db_records_deleted: number;
  readonly parquet_partitions_deleted: number;
}

export const deleteEvents = (target: Target, credential: RequestHeaders, parameters: Readonly<Record<string, string>>): Promise<Response> =>
  target.fetch(`/api/gdpr/erase?${new URLSearchParams(parameters).toString()}`, { method: "DELETE", headers: credential });

export const erase = async (target: Target, credential: RequestHeaders, site: string, first: string, last: string): Promise<Erased> =>
  bodyOf(await deleteEvents(target, credential, { site_id: site, start_date: first, end_date: last }));
