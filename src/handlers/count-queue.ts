/** Reports of counts that are in files, one at a time: each reads a file a day. */
import { COUNT_REPORTS_WAITING_MAX } from "../runtime/base/config/report-limits.ts";
import { SerialQueue } from "../runtime/base/queue.ts";
import type { Services } from "../runtime/service/services.ts";

const queues = new WeakMap<Services, SerialQueue>();

/** 429 if too many wait. */
export function inCountQueue<T>(services: Services, report: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const queue = queues.get(services) ?? new SerialQueue({ waitingMax: COUNT_REPORTS_WAITING_MAX, retryAfterSecs: 1 });
  queues.set(services, queue);
  return queue.run(report, signal);
}
