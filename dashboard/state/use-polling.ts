/** Polling while something is awaited: often at first, then rarely, and only while the page is visible. */
import { useEffect, useRef } from "preact/hooks";
import { fetchReport } from "../api/reports.ts";
import { handleFailure, outage } from "../state/connection.ts";

/** Before the first request, so that typing a name does not send one for each letter. */
const FIRST_MS = 500;
const OFTEN_MS = 2000;
const RARELY_MS = 15_000;
/** How long to poll often, from the start and from each return to the page. */
const OFTEN_FOR_MS = 300_000;

const isVisible = (): boolean => document.visibilityState === "visible";

/** Runs one request at a time; `stop` aborts it. */
function poller(request: (signal: AbortSignal) => Promise<void>): { readonly resume: () => void; readonly stop: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  let sinceMs = performance.now();
  let isRunning = false;
  let timer = setTimeout(poll, FIRST_MS);
  function poll() {
    if (isRunning || !isVisible()) return;
    isRunning = true;
    // In an outage, another request finds out when the service is back.
    void (outage.peek() === null ? request(signal) : Promise.resolve()).finally(() => {
      isRunning = false;
      if (!signal.aborted) timer = setTimeout(poll, performance.now() - sinceMs < OFTEN_FOR_MS ? OFTEN_MS : RARELY_MS);
    });
  }
  return {
    resume() {
      if (!isVisible()) return;
      sinceMs = performance.now();
      clearTimeout(timer);
      poll();
    },
    stop() {
      clearTimeout(timer);
      controller.abort();
    },
  };
}

/** Null polls nothing. */
export function usePolling<T>(url: string | null, onData: (data: T) => void): void {
  const latest = useRef(onData);
  latest.current = onData;
  useEffect(() => {
    if (url === null) return;
    const { resume, stop } = poller((signal) =>
      fetchReport<T>(url, signal).then(
        (data) => {
          if (!signal.aborted) latest.current(data);
        },
        (error: unknown) => {
          if (!signal.aborted) handleFailure(error);
        },
      ),
    );
    document.addEventListener("visibilitychange", resume);
    return () => {
      document.removeEventListener("visibilitychange", resume);
      stop();
    };
  }, [url]);
}
