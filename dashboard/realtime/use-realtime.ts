/** The last minutes, asked for every ten seconds while the page is seen. */
import { useEffect, useState } from "preact/hooks";
import { askFigure, pathOf, type Figures } from "../api/service.ts";
import { noteFailure, round } from "../state/connection.ts";
import { scope, today } from "../state/view.ts";

const EVERY_MS = 10_000;

export type Realtime = Figures["realtime"];

export function useRealtime(): Realtime | null {
  const [realtime, setRealtime] = useState<Realtime | null>(null);
  const { site_id, filters } = scope.value;
  const path = site_id === null ? null : pathOf("/api/stats/realtime", { site_id, filters });
  const asked = round.value;
  useEffect(() => {
    if (path === null) return;
    const controller = new AbortController();
    const ask = () => {
      if (document.visibilityState !== "visible") return;
      today.value = new Date().toISOString().slice(0, 10);
      askFigure<Realtime>(path, controller.signal).then(setRealtime, (error: unknown) => {
        if (!controller.signal.aborted) noteFailure(error);
      });
    };
    ask();
    const timer = setInterval(ask, EVERY_MS);
    document.addEventListener("visibilitychange", ask);
    return () => {
      controller.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [path, asked]);
  return realtime;
}
