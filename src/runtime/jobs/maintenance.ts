/** Everything that happens because time passes. The host calls it about once a second; tests call it as they like. */
import type { EpochMs } from "../../storage/event.ts";
import type { Services } from "../services.ts";

/** Begins what is due and does not wait for it. */
export function runMaintenance({ visitorSalt, flusher, compaction, retention }: Services, nowMs: EpochMs): void {
  visitorSalt.renewIfDue(nowMs);
  flusher.flushIfDue(nowMs);
  compaction.runIfDue(nowMs);
  retention.runIfDue(nowMs);
}
