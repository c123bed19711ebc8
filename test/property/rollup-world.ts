/**
 * Plays a history to two programs, with rollups and without, and keeps the plain list of its events. The program with rollups is
 * restarted on its stores, which are damaged, and fails and dies while it makes rollups.
 */
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { ROLLUP_RETRY_MS_MIN } from "../../src/runtime/base/config/report-limits.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { LocalDate, SiteId, StoredEvent } from "../../src/storage/event.ts";
import type { ObjectKey } from "../../src/storage/object-store.ts";
import { daysOfRollupKey, rollupFolder, ROLLUPS_FOLDER } from "../../src/storage/rollup.ts";
import { START_MS } from "../support/in-process-target.ts";
import { DAY_MS, SITES } from "./histories.ts";
import { dayOf, dayPlus } from "./model.ts";
import { parametersOf } from "./questions.ts";
import { met, Program, type Strike } from "./rollup-program.ts";
import type { Asked, DatedEvent, RollupHistory, RollupStep, Settings, Tampering } from "./rollup-histories.ts";

/** The clock of the first events, so that all their days are after the start of salt periods of any length. */
const FIRST_MS = START_MS + 3 * DAY_MS;

/** Far more than one history has rollups, and than queries take turns. */
const LOOKS_MAX = 100_000;

export class RollupWorld {
  readonly #history: RollupHistory;
  readonly #withRollups: Program;
  readonly #without: Program;
  settings: Settings;
  /** What must be counted. */
  events: StoredEvent[] = [];

  constructor(history: RollupHistory) {
    this.#history = history;
    this.#withRollups = new Program(history, true);
    this.#without = new Program(history, false);
    this.settings = history.settings;
  }

  get nowMs(): number {
    return this.#without.target.nowMs();
  }

  async start(): Promise<void> {
    await this.#both((program) => program.start(this.settings, FIRST_MS));
    await this.take({ kind: "events", events: this.#history.first, isFlushed: true });
    await this.take({ kind: "clock", days: 1 });
    await this.take({ kind: "making" });
  }

  async close(): Promise<void> {
    await this.#both((program) => program.end(false));
  }

  async #both(task: (program: Program) => Promise<unknown>): Promise<void> {
    await Promise.all([task(this.#withRollups), task(this.#without)]);
  }

  /** Plays a step, and checks what it promises about rollups. */
  async take(step: RollupStep): Promise<void> {
    switch (step.kind) {
      case "events":
        await this.#accept(step.events);
        if (step.isFlushed) await this.#both(({ target }) => target.flush());
        break;
      case "flush":
        await this.#both(({ target }) => target.flush());
        break;
      case "compaction":
        await this.#both(({ target }) => target.services.compaction.run());
        break;
      case "making":
        await this.#waitForRetry();
        await this.#make();
        break;
      case "interrupted making":
        await this.#waitForRetry();
        await this.#makeInterrupted({ left: step.nth, isDeadly: step.isDeadly, isDone: step.isDone });
        break;
      case "erasure":
        await this.#erase(step.siteId as SiteId, dayPlus(dayOf(this.nowMs), -step.daysBack) as LocalDate, step.days);
        break;
      case "retention":
        await this.#retain();
        break;
      case "engine loss":
        this.#withRollups.life.loseEngine();
        break;
      case "clock":
        await this.#both(({ target }) => target.advance(step.days * DAY_MS));
        await this.#both(({ target }) => target.services.settled());
        await this.#retain();
        break;
      case "restart":
        this.settings = step.settings;
        await this.#restart(step.isCrash);
        break;
      case "tampering":
        await this.#tamper(step.tampering);
    }
  }

  /** Late events too: in whatever order they come, and whatever day they are of. */
  async #accept(dated: readonly DatedEvent[]): Promise<void> {
    const { idDays } = this.#history;
    const today = Math.floor(this.nowMs / DAY_MS);
    const events = dated.map(({ event, daysBack, timeMs }): StoredEvent => {
      const timestampMs = (today - daysBack) * DAY_MS + timeMs;
      // Visitors get another id in every period, as real ones do.
      const period = BigInt(Math.floor((today - daysBack) / idDays));
      const visitorId = BigInt.asUintN(64, event.visitorId * 0x9e37_79b9_7f4a_7c15n + (period + 1n) * 0xd1b5_4a32_d192_ed03n);
      return { ...event, visitorId, timestampMs, date: utcCalendar.dateOf(timestampMs) };
    });
    await this.#both(({ target }) => Promise.all(events.map((event) => target.services.eventStore.append(event))));
    this.events.push(...events);
  }

  /** What failed before is tried again. */
  async #waitForRetry(): Promise<void> {
    await this.#both(({ target }) => target.advance(ROLLUP_RETRY_MS_MIN));
    await this.#both(({ target }) => target.services.settled());
  }

  /** Runs the job until it has nothing to do. */
  async #make(): Promise<void> {
    const { services } = this.#withRollups.target;
    await services.compaction.run();
    let looks = 0;
    do {
      services.rollups.tick();
      await services.rollups.settled();
      // It waits for queries to end.
      await setImmediate();
    } while (services.rollups.isBusy && ++looks < LOOKS_MAX);
    expect(looks).toBeLessThan(LOOKS_MAX);
  }

  async #makeInterrupted(strike: Strike): Promise<void> {
    const { process } = this.#withRollups.life;
    process.strike = strike;
    await this.#make();
    process.strike = null;
    if (process.isDead) await this.#restart(true);
  }

  async #restart(isCrash: boolean): Promise<void> {
    const { nowMs } = this;
    await this.#both((program) => program.end(isCrash));
    await this.#both((program) => program.start(this.settings, nowMs));
  }

  async #erase(siteId: SiteId, firstDay: LocalDate, days: number): Promise<void> {
    const lastDay = dayPlus(firstDay, days) as LocalDate;
    await this.#both(({ target }) => target.services.erasure.erase(siteId, firstDay, lastDay));
    await this.#forget(siteId, firstDay, lastDay);
  }

  async #retain(): Promise<void> {
    const { retentionDays } = this.#history;
    if (retentionDays === 0) return;
    await this.#both(({ target }) => target.services.retention.run());
    for (const siteId of SITES)
      await this.#forget(
        siteId as string as SiteId,
        "0001-01-01" as LocalDate,
        dayPlus(dayOf(this.nowMs), -retentionDays - 1) as LocalDate,
      );
  }

  /** Erased events no longer count, and no rollup that contains some of them is left. */
  async #forget(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    this.events = this.events.filter((event) => event.siteId !== siteId || event.date < firstDay || event.date > lastDay);
    const stored = await this.#withRollups.stores.objects.list(rollupFolder(siteId));
    const left = stored.filter(({ key }) => {
      const days = daysOfRollupKey(siteId, key);
      return days && days.firstDay <= lastDay && firstDay <= days.lastDay;
    });
    expect(left).toEqual([]);
  }

  async #tamper(tampering: Tampering): Promise<void> {
    const { objects } = this.#withRollups.stores;
    const keys = (await objects.list(ROLLUPS_FOLDER)).map(({ key }) => key).sort();
    if (keys.length === 0) return;
    const nth = (n: number): ObjectKey => keys[n % keys.length] ?? "";
    if (tampering.how === "delete all") return void (await Promise.all(keys.map((key) => objects.delete(key))));
    const key = nth(tampering.nth);
    const bytes = (await objects.get(key)) ?? new Uint8Array();
    if (tampering.how === "delete one") return objects.delete(key);
    if (tampering.how === "cut one off") return objects.put(key, bytes.slice(0, bytes.length / 2));
    if (tampering.how === "damage one")
      return objects.put(
        key,
        bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte)),
      );
    if (tampering.how !== "swap two") return;
    const other = nth(tampering.other);
    await objects.put(key, (await objects.get(other)) ?? bytes);
    await objects.put(other, bytes);
  }

  /** Counts the days whose rollups are outdated now. */
  async lookForStale(): Promise<void> {
    const { eventStore, rollupStore } = this.#withRollups.target.services;
    for (const id of SITES) {
      const siteId = id as string as SiteId;
      const days = await eventStore.versions(siteId, "0001-01-01" as LocalDate, "9999-12-31" as LocalDate);
      met.staleDays += (await rollupStore.dayCounts(siteId, dayOf(this.nowMs) as LocalDate, days)).stale;
    }
  }

  /** The answer without rollups, after a check that it is the same with them. */
  async ask({ endpoint, parameters, about }: Asked): Promise<unknown> {
    const query = new URLSearchParams({ ...parametersOf(about, this.nowMs), ...parameters }).toString();
    const path = `/api/stats/${endpoint}?${query}`;
    const answer = async ({ target }: Program) => {
      const response = await target.fetch(path);
      return { path, status: response.status, body: await response.text() };
    };
    const [found, expected] = await Promise.all([answer(this.#withRollups), answer(this.#without)]);
    expect(found).toEqual(expected);
    expect(expected.status, expected.body).toBe(200);
    return JSON.parse(expected.body) as unknown;
  }
}
