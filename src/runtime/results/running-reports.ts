/**
 * The progress of reports that are being computed, for those who wait for them (docs/http-api.md, "Progress"). A reader gives a request a
 * random id that nobody else can guess, and asks by it while the request runs.
 */
import type { SiteId } from "../../storage/event.ts";
import { GUEST_WATCHED_SHARE_MAX, WATCHED_REPORTS_MAX } from "../base/config/report-limits.ts";
import type { DaysRead } from "../query/progress.ts";
import { type Asker, hidesEvents } from "../query/scope.ts";
import type { ReportQuery } from "../query/query-engine.ts";

/** A computation that one or several requests wait for. */
export interface Computation {
  /** null until it reads events. */
  progress: DaysRead | null;
}

/** A request with an id. */
export interface Watch {
  /** null until the request waits for a computation. */
  computation: Computation | null;
}

export interface RunningReport extends DaysRead {
  readonly id: string;
}

/** An id has no spaces. */
const keyOf = (siteId: SiteId, id: string): string => `${id} ${siteId}`;

export class RunningReports {
  readonly #watches = new Map<string, Watch>();

  /**
   * Runs a request that can be watched by its id; null for none. Guests of a link with conditions cannot watch: which days are read, and
   * for how long, tells of events that the link hides.
   */
  async watched<Result>(
    id: string | null,
    { scope }: Pick<ReportQuery, "scope">,
    { isGuest }: Pick<Asker, "isGuest">,
    request: (watch: Watch | null) => Promise<Result>,
  ): Promise<Result> {
    const watchesMax = WATCHED_REPORTS_MAX * (isGuest ? GUEST_WATCHED_SHARE_MAX : 1);
    if (id === null || this.#watches.size >= watchesMax || (isGuest && hidesEvents(scope))) return request(null);
    const key = keyOf(scope.siteId, id);
    const watch: Watch = { computation: null };
    this.#watches.set(key, watch);
    try {
      return await request(watch);
    } finally {
      if (this.#watches.get(key) === watch) this.#watches.delete(key);
    }
  }

  /** Leaves out requests that do not run, and those that read no events. */
  progressOf(siteId: SiteId, ids: readonly string[]): readonly RunningReport[] {
    return ids.flatMap((id) => {
      const progress = this.#watches.get(keyOf(siteId, id))?.computation?.progress;
      return progress ? [{ id, ...progress }] : [];
    });
  }
}
