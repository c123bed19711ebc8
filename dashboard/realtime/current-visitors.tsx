/** How many are there now, in the bar; leads to the realtime view. */
import { go, param } from "../state/view.ts";
import { countText } from "../format/numbers.ts";
import { useRealtime } from "./use-realtime.ts";

export function CurrentVisitors() {
  const realtime = useRealtime();
  const isOpen = param("view") === "realtime";
  return (
    <button
      type="button"
      class="bar-button current"
      aria-pressed={isOpen}
      title={`Visitors of the last ${realtime?.window_minutes ?? 5} minutes (R)`}
      onClick={() => go({ view: isOpen ? null : "realtime" })}
    >
      <i class="pulse" aria-hidden="true" />
      <span>
        <b>{realtime === null ? "–" : countText(realtime.current_visitors)}</b>
        <span class="current-words"> current visitor{realtime?.current_visitors === 1 ? "" : "s"}</span>
      </span>
    </button>
  );
}
