/** Polling: one request at a time, only while the page is visible, and not during an outage. */
import { useEffect, useRef } from "preact/hooks";
import { fetchReport, type Load } from "../api/reports.ts";
import { handleFailure, outage, refreshCount } from "./connection.ts";

export interface Rhythm {
  /** Before the first request. */
  readonly firstMs: number;
  /** Before the next one. `sinceMs` have passed since the start or the last return to the page. */
  readonly pauseMs: (sinceMs: number) => number;
}

const isVisible = (): boolean => document.visibilityState === "visible";

function poller(
  request: (signal: AbortSignal) => Promise<void>,
  { firstMs, pauseMs }: Rhythm,
): { readonly resume: () => void; readonly stop: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  let startMs = performance.now();
  let isRunning = false;
  let timer = setTimeout(poll, firstMs);
  function poll() {
    if (isRunning || !isVisible()) return;
    isRunning = true;
    // In an outage, another request finds out when the service is back.
    void (outage.peek() === null ? request(signal) : Promise.resolve()).finally(() => {
      isRunning = false;
      if (!signal.aborted) timer = setTimeout(poll, pauseMs(performance.now() - startMs));
    });
  }
  return {
    resume() {
      if (!isVisible()) return;
      startMs = performance.now();
      clearTimeout(timer);
      poll();
    },
    stop() {
      clearTimeout(timer);
      controller.abort();
    },
  };
}

/** A URL that is null polls nothing. A refresh of all reports polls at once. */
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
