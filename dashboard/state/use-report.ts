/** Hooks that fetch a report for a component: the previous data stays while new data loads, and leaving the view aborts the request. */
import { useEffect, useState } from "preact/hooks";
import { ServiceError, urlOf, type Parameters } from "../api/http.ts";
import { fetchReport, type Load } from "../api/reports.ts";
import type { Dimension, Reports } from "../api/types.ts";
import { handleFailure, isReachable, outage, refreshCount } from "./connection.ts";

export interface Report<T> {
  /** The last response, possibly to an earlier request; undefined before the first. */
  readonly data: T | undefined;
  /** Whether `data` belongs to an earlier request, or cannot be refreshed because of an outage. */
  readonly isStale: boolean;
  /** Null during an outage, which the page shows once for all reports. */
  readonly error: ServiceError | null;
  readonly retry: () => void;
}

/** Whether there is nothing to show yet, and may be soon. */
export const isLoading = ({ data, error }: Report<unknown>): boolean => data === undefined && error === null;

interface Result<T> {
  readonly key: string;
  readonly data?: T;
  readonly error: ServiceError | null;
}

/** A response is reused for this long, e.g. after Back. */
const CACHE_TTL_MS = 20_000;
const CACHE_ENTRIES_MAX = 200;
const cache = new Map<string, { readonly atMs: number; readonly data: unknown }>();

/** Evicts the oldest entry when full. */
function cacheSet(key: string, data: unknown): void {
  cache.delete(key);
  cache.set(key, { atMs: performance.now(), data });
  const [oldest] = cache.keys();
  if (cache.size > CACHE_ENTRIES_MAX && oldest !== undefined) cache.delete(oldest);
}

function cacheGet(key: string): unknown {
  const entry = cache.get(key);
  return entry && performance.now() - entry.atMs < CACHE_TTL_MS ? entry.data : undefined;
}

/** For when the stored events have changed. */
export const clearReportCache = (): void => cache.clear();

const toServiceError = (error: unknown): ServiceError =>
  error instanceof ServiceError ? error : new ServiceError("failed", String(error));

/** Fetches a report, again if it failed as in an outage although the service answers. */
async function fetchUnlessDown<T>(url: string, load: Load<T>, signal: AbortSignal): Promise<T> {
  try {
    return await load(url, signal);
  } catch (error) {
    const isAlone = error instanceof ServiceError && error.isOutage && !signal.aborted && (await isReachable());
    if (!isAlone) throw error;
    return load(url, signal);
  }
}

/** Fetches a URL; null fetches nothing. */
export function useRequest<T>(url: string | null, load: Load<T> = fetchReport): Report<T> {
  const [result, setResult] = useState<Result<T> | null>(null);
  const [tries, setTries] = useState(0);
  const key = url === null ? null : `${refreshCount.value} ${url}`;
  useEffect(() => {
    if (url === null || key === null) return;
    const cached = cacheGet(key);
    if (cached !== undefined) {
      setResult({ key, data: cached as T, error: null });
      return;
    }
    const controller = new AbortController();
    fetchUnlessDown(url, load, controller.signal).then(
      (data) => {
        cacheSet(key, data);
        if (!controller.signal.aborted) setResult({ key, data, error: null });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        handleFailure(error);
        setResult((previous) => ({
          key,
          ...(previous?.data !== undefined && { data: previous.data }),
          error: toServiceError(error),
        }));
      },
    );
    return () => controller.abort();
  }, [key, tries]);
  const isDown = outage.value !== null;
  const error = result?.key === key ? (result?.error ?? null) : null;
  return {
    data: result?.data,
    isStale: key !== null && result !== null && (isDown || result.key !== key),
    error: isDown && error?.isOutage === true ? null : error,
    retry: () => setTries((count) => count + 1),
  };
}

/** A report by its name; null parameters fetch nothing. */
export const useReport = <Name extends Exclude<keyof Reports, "breakdown">>(
  name: Name,
  parameters: Parameters | null,
): Report<Reports[Name]> => useRequest(parameters === null ? null : urlOf(`/api/stats/${name}`, parameters));

export const useBreakdown = (dimension: Dimension, parameters: Parameters): Report<Reports["breakdown"]> =>
  useRequest(urlOf(`/api/stats/breakdown/${dimension}`, parameters));
