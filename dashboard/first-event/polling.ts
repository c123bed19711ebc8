/** Polling while something is awaited: often at first, then rarely, and only while the page is visible. */
import { useEffect, useRef } from "preact/hooks";
import { fetchReport } from "../api/reports.ts";
import { handleFailure } from "../state/connection.ts";

/** Before the first request, so that typing a name does not send one for each letter. */
const FIRST_MS = 500;
const OFTEN_MS = 2000;
const RARELY_MS = 15_000;
const OFTEN_POLLS = 150;

/** Null polls nothing. A request is sent only after the response to the one before. */
export function usePolling<T>(url: string | null, onData: (data: T) => void): void {
  const latest = useRef(onData);
  latest.current = onData;
  useEffect(() => {
    if (url === null) return;
    const controller = new AbortController();
    let polls = 0;
    let timer = setTimeout(poll, FIRST_MS);
    function poll() {
      if (document.visibilityState !== "visible") return scheduleNext();
      fetchReport<T>(url ?? "", controller.signal)
        .then(
          (data) => {
            if (!controller.signal.aborted) latest.current(data);
          },
          (error: unknown) => {
            if (!controller.signal.aborted) handleFailure(error);
          },
        )
        .finally(scheduleNext);
    }
    function scheduleNext() {
      if (!controller.signal.aborted) timer = setTimeout(poll, polls++ < OFTEN_POLLS ? OFTEN_MS : RARELY_MS);
    }
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [url]);
}
