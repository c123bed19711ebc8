/** The number of current visitors in the bar, which opens and closes the realtime view. */
import { formatCount } from "../format/locale.ts";
import { isRealtime, toggleRealtime } from "../state/view.ts";
import { realtime, useRealtimePolling } from "../state/realtime.ts";

/** Until the report tells. */
const WINDOW_MINUTES = 5;

export const windowMinutes = (): number => realtime.value?.window_minutes ?? WINDOW_MINUTES;

export function CurrentVisitors() {
  useRealtimePolling();
  const visitors = realtime.value?.current_visitors;
  return (
    <button
      type="button"
      class="bar-button current"
      aria-pressed={isRealtime()}
      title={`Visitors in the last ${windowMinutes()} minutes (R)`}
      onClick={toggleRealtime}
    >
      <i class="pulse" aria-hidden="true" />
      <span>
        <b>{visitors === undefined ? "–" : formatCount(visitors)}</b>
        <span class="current-label"> current visitor{visitors === 1 ? "" : "s"}</span>
      </span>
    </button>
  );
}
