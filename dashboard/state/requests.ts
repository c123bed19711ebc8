/** Hooks for requests: reports, polling, and actions of buttons and forms. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ServiceError, urlOf, type Parameters } from "../api/http.ts";
import type { OnReading, Reading } from "../api/progress.ts";
import { type CoveredDays, fetchReport, leftOutOf, type Load } from "../api/reports.ts";
import type { Dimension, Reports } from "../api/types.ts";
import { handleFailure, isReachable, outage, refreshCount, refreshAll } from "./connection.ts";
import { noteReading } from "./reading.ts";

export interface Report<T> {
  /** The last response, possibly to an earlier request; undefined before the first, and in an outage that began before this view. */
  readonly data: T | undefined;
  /** Days that `data` leaves out, because an import has only daily totals of them. */
  readonly leftOut: CoveredDays;
  /** `data` answers an earlier request, or cannot be refreshed during an outage. */
  readonly isStale: boolean;
  /** null during an outage, which the page reports once. */
  readonly error: ServiceError | null;
  /** How far the service has come with a report that takes its time; null for any other. */
  readonly reading: Reading | null;
  readonly retry: () => void;
}

/** Nothing to show yet. */
export const isLoading = ({ data, error }: Report<unknown>): boolean => data === undefined && error === null;

interface Result<T> {
  readonly key: string;
  readonly data?: T;
  /** The request that `data` answers. */
  readonly dataUrl?: string;
  readonly error: ServiceError | null;
}

/** Responses are reused for this long, e.g. after Back. */
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

/** Call after stored events have changed. */
export const clearReportCache = (): void => cache.clear();

/** Call after events or settings have changed: reloads the list of sites and all reports. */
export function reloadAll(): void {
  clearReportCache();
  refreshAll();
}

const toServiceError = (error: unknown): ServiceError =>
  error instanceof ServiceError ? error : new ServiceError("failed", String(error));

/** Retries once if the service answers after all. */
async function fetchUnlessDown<T>(url: string, load: Load<T>, signal: AbortSignal, onReading: OnReading): Promise<T> {
  try {
    return await load(url, signal, onReading);
  } catch (error) {
    const isAlone = error instanceof ServiceError && error.isOutage && !signal.aborted && (await isReachable());
    if (!isAlone) throw error;
    return load(url, signal, onReading);
  }
}

/** Keeps previous data while new data loads. Leaving the view aborts the request. Null fetches nothing. */
export function useRequest<T>(url: string | null, load: Load<T> = fetchReport): Report<T> {
  const [result, setResult] = useState<Result<T> | null>(null);
  const [reading, setReading] = useState<Reading | null>(null);
  const [tries, setTries] = useState(0);
  const key = url === null ? null : `${refreshCount.value} ${url}`;
  useEffect(() => {
    if (url === null || key === null) return;
    const cached = cacheGet(key);
    if (cached !== undefined) {
      setResult({ key, data: cached as T, dataUrl: url, error: null });
      return;
    }
    const controller = new AbortController();
    function show(now: Reading | null): void {
      setReading(now);
      noteReading(controller, now);
    }
    const onReading = (now: Reading) => !controller.signal.aborted && show(now);
    fetchUnlessDown(url, load, controller.signal, onReading).then(
      (data) => {
        cacheSet(key, data);
        if (controller.signal.aborted) return;
        show(null);
        setResult({ key, data, dataUrl: url, error: null });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        show(null);
        handleFailure(error);
        setResult((previous) => ({
          key,
          ...(previous?.data !== undefined && { data: previous.data, dataUrl: previous.dataUrl }),
          error: toServiceError(error),
        }));
      },
    );
    return () => {
      controller.abort();
      show(null);
    };
  }, [key, tries]);
  const isDown = outage.value !== null;
  const error = result?.key === key ? (result?.error ?? null) : null;
  return {
    // In an outage, another view's numbers would stay below this one's period and filters.
    data: isDown && result?.dataUrl !== url ? undefined : result?.data,
    leftOut: result?.data ? leftOutOf(result.data) : [],
    isStale: key !== null && result !== null && (isDown || result.key !== key),
    error: isDown && error?.isOutage === true ? null : error,
    reading: isDown ? null : reading,
    retry: () => setTries((count) => count + 1),
  };
}

/** null parameters fetch nothing. */
export const useReport = <Name extends Exclude<keyof Reports, "breakdown">>(
  name: Name,
  parameters: Parameters | null,
): Report<Reports[Name]> => useRequest(parameters === null ? null : urlOf(`/api/stats/${name}`, parameters));

export const useBreakdown = (dimension: Dimension, parameters: Parameters): Report<Reports["breakdown"]> =>
  useRequest(urlOf(`/api/stats/breakdown/${dimension}`, parameters));

export interface Rhythm {
  /** Pause before the first request. */
  readonly firstMs: number;
  /** Polls hidden pages as well, because their title is seen: with this pause, and for this long. */
  readonly hidden?: { readonly pauseMs: number; readonly forMs: number; readonly onEnd: () => void };
  /** Pause before the next one. `sinceMs` have passed since the start or the last return to the page. */
  readonly pauseMs: (sinceMs: number) => number;
}

const isVisible = (): boolean => document.visibilityState === "visible";

function poller(
  request: (signal: AbortSignal) => Promise<void>,
  { firstMs, pauseMs, hidden }: Rhythm,
): { readonly resume: () => void; readonly stop: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  let startMs = performance.now();
  let isRunning = false;
  let timer = setTimeout(poll, firstMs);
  const sinceMs = () => performance.now() - startMs;
  const isAwake = () => isVisible() || (hidden !== undefined && sinceMs() < hidden.forMs);
  function poll() {
    if (isRunning) return;
    if (!isAwake()) return hidden?.onEnd();
    isRunning = true;
    // In an outage, another request finds out when the service is back.
    void (outage.peek() === null ? request(signal) : Promise.resolve()).finally(() => {
      isRunning = false;
      if (!signal.aborted) timer = setTimeout(poll, isVisible() || !hidden ? pauseMs(sinceMs()) : hidden.pauseMs);
    });
  }
  return {
    resume() {
      startMs = performance.now();
      if (!isVisible()) return;
      clearTimeout(timer);
      poll();
    },
    stop() {
      clearTimeout(timer);
      controller.abort();
    },
  };
}

/** One request at a time, only while there is no outage and, unless the rhythm says otherwise, the page is visible. Null polls nothing. A refresh polls at once. */
export function usePolling<T>(
  url: string | null,
  rhythm: Rhythm,
  onData: (data: T, url: string) => void,
  load: Load<T> = fetchReport,
): void {
  const latest = useRef(onData);
  latest.current = onData;
  const refresh = refreshCount.value;
  useEffect(() => {
    if (url === null) return;
    const request = (signal: AbortSignal) =>
      load(url, signal).then(
        (data) => {
          if (!signal.aborted) latest.current(data, url);
        },
        (error: unknown) => {
          if (!signal.aborted) handleFailure(error);
        },
      );
    const { resume, stop } = poller(request, rhythm);
    document.addEventListener("visibilitychange", resume);
    return () => {
      document.removeEventListener("visibilitychange", resume);
      stop();
    };
  }, [url, refresh]);
}

/** `problemOf` describes a failure to the reader; called once per failure. */
export function useAction<Problem = string>(problemOf: (error: unknown) => Problem) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  async function run(action: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await action();
    } catch (error) {
      handleFailure(error);
      setProblem(problemOf(error));
    }
    setBusy(false);
  }
  return { isBusy, problem, run, clear: () => setProblem(null) };
}
