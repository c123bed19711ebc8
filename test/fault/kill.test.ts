/**
 * Invariant 1 of the architecture: every later query counts an event answered with 202 exactly once, however the process died
 * in between. Many processes use one data folder in turn, each killed by SIGKILL at a random moment during continuous flushes.
 * FAULT_SEED repeats the random choices of a run, though not its timing; FAULT_ROUNDS sets the number of kills.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { numberFrom, seedFrom } from "../support/number-from-environment.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import type { Environment } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { expectEachOnce } from "./each-once.ts";
import { EventLoad, type LoadEvent } from "./event-load.ts";
import { readCrashTraces, readStoredEvents } from "./stored-events.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";

const SEED = seedFrom("FAULT_SEED", 20_260_315);
const ROUNDS = numberFrom("FAULT_ROUNDS", { quick: 6, all: 18, nightly: 60 });
/** A round takes three seconds on an idle machine. */
const TEST_MS_MAX = 60_000 + ROUNDS * 30_000;

/** Sites that are there in all rounds: their totals are asked for after each start. */
const STEADY_SITES = ["steady-0.test", "steady-1.test"];

/** Every other event goes to a site of its time, whose pages all fit into one breakdown. */
const SLICE_PAGES = 900;
const BREAKDOWN_ROWS_MAX = 1000;

function eventOf(count: number): LoadEvent {
  const half = Math.floor(count / 2);
  const siteId = count % 2 === 0 ? STEADY_SITES[half % STEADY_SITES.length] : `slice-${Math.floor(half / SLICE_PAGES)}.test`;
  return { siteId: siteId ?? "", pathname: `/e/${count}` };
}

/**
 * What the process does when it is killed. The moment is counted in events it has acknowledged, so that a slow machine
 * does no less; a few milliseconds more let it come between two answers, too. During a flush means: when its first file,
 * or the beginning of one, is seen.
 */
const MOMENTS = [
  { during: "load", eventsMax: 2000, pauseMsMax: 20 },
  { during: "load and queries", eventsMax: 2000, pauseMsMax: 20 },
  { during: "first events", eventsMax: 5, pauseMsMax: 5 },
  { during: "flush", eventsMax: 2000, pauseMsMax: 0 },
  { during: "start", eventsMax: 0, pauseMsMax: 500 },
  { during: "flush", eventsMax: 2000, pauseMsMax: 0 },
] as const;

const FSYNC_MODES = ["off", "interval", "always"] as const;

interface Round {
  readonly during: (typeof MOMENTS)[number]["during"];
  readonly events: number;
  readonly pauseMs: number;
  readonly environment: Environment;
}

/** Every moment comes with every mode in `MOMENTS.length * FSYNC_MODES.length` rounds: as many as `all` has. */
function drawRound(index: number, random: () => number): Round {
  const { during, eventsMax, pauseMsMax } = MOMENTS[index % MOMENTS.length] ?? MOMENTS[0];
  const mode = (index + Math.floor(index / MOMENTS.length)) % FSYNC_MODES.length;
  return {
    during,
    events: Math.floor(random() * (eventsMax + 1)),
    pauseMs: random() * pauseMsMax,
    environment: {
      SVC_JOURNAL_FSYNC: FSYNC_MODES[mode] ?? "off",
      SVC_FLUSH_EVENT_COUNT: String(20 + Math.floor(random() * 300)),
      SVC_FLUSH_INTERVAL_SECS: "0.1",
      // Every start finds files to merge.
      SVC_COMPACT_AFTER_FILES: "2",
      SVC_CACHE_TTL_SECS: "0",
    },
  };
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as T;
}

const totalOf = async (origin: string, siteId: string): Promise<number> =>
  (await getJson<{ total_events: number }>(`${origin}/api/stats/main?site_id=${siteId}&period=7d`)).total_events;

/** The events of each page of the site, and that there are no more pages than the answer has room for. */
async function pagesOf(origin: string, siteId: string): Promise<[string, number][]> {
  const rows = await getJson<{ value: string; events: number }[]>(
    `${origin}/api/stats/breakdown/pages?site_id=${siteId}&period=7d&limit=${BREAKDOWN_ROWS_MAX}`,
  );
  expect(rows.length).toBeLessThan(BREAKDOWN_ROWS_MAX);
  return rows.map(({ value, events }) => [`${siteId}${value}`, events]);
}

/** Asks one question after the other until the server is gone. */
async function keepAsking(origin: string): Promise<void> {
  try {
    for (;;) {
      for (const siteId of STEADY_SITES) {
        await fetch(`${origin}/api/stats/main?site_id=${siteId}`).then((response) => response.text());
        await fetch(`${origin}/api/stats/breakdown/pages?site_id=${siteId}`).then((response) => response.text());
      }
    }
  } catch {
    // That is its end.
  }
}

/** What a site's total must be between, from one look at it to the next. */
class Expectation {
  readonly #load: EventLoad;
  readonly #siteId: string;
  #total = 0;
  #acknowledged = 0;
  #unanswered = 0;

  constructor(load: EventLoad, siteId: string) {
    this.#load = load;
    this.#siteId = siteId;
  }

  /** Checks the total. From then on unanswered events that came before are either there or not. */
  check(total: number, when: string): void {
    const ofSite = (events: readonly LoadEvent[]) => events.filter(({ siteId }) => siteId === this.#siteId).length;
    const acknowledged = ofSite(this.#load.acknowledged);
    const unanswered = ofSite(this.#load.unanswered);
    const least = this.#total + acknowledged - this.#acknowledged;
    const most = least + unanswered - this.#unanswered;
    expect(total, `events of ${this.#siteId} ${when}: lost`).toBeGreaterThanOrEqual(least);
    expect(total, `events of ${this.#siteId} ${when}: counted twice`).toBeLessThanOrEqual(most);
    [this.#total, this.#acknowledged, this.#unanswered] = [total, acknowledged, unanswered];
  }
}

/** Lines of a level that asks for attention, beside the one about the missing password. */
const alarmsIn = (log: string): string[] =>
  log.split("\n").filter((line) => / (?:WARN|ERROR) /.test(line) && !line.includes("no admin password"));

it(
  `the program has every acknowledged event exactly once after ${ROUNDS} kills (FAULT_SEED=${SEED})`,
  async () => {
    const dataFolder = await tempFolder();
    const random = numbersFrom(SEED);
    const load = new EventLoad(eventOf);
    const expectations = STEADY_SITES.map((siteId) => ({ siteId, expectation: new Expectation(load, siteId) }));
    const alarms: string[] = [];
    const traces = new Set<string>();
    let midFlush = 0;
    let flushRounds = 0;
    const freshTraces = async () => (await readCrashTraces(dataFolder)).filter((trace) => !traces.has(trace));

    for (let index = 0; index < ROUNDS; index++) {
      const { during, events, pauseMs, environment } = drawRound(index, random);
      if (during === "flush") flushRounds++;
      const when = `in round ${index} (${during}, FAULT_SEED=${SEED})`;
      const server = spawnServer({ dataFolder, environment });
      if (during === "start") {
        await sleep(pauseMs);
        await server.kill9();
      } else {
        const origin = await server.listening;
        if (during !== "first events") {
          for (const { siteId, expectation } of expectations) expectation.check(await totalOf(origin, siteId), when);
        }
        const enough = load.acknowledgedMore(events);
        const posting = load.start(origin);
        const asking = during === "load and queries" ? keepAsking(origin) : null;
        await Promise.race([enough, posting.ended]);
        if (during === "flush") while ((await freshTraces()).length === 0);
        await sleep(pauseMs);
        await server.kill9();
        await Promise.all([posting.ended, asking]);
      }
      alarms.push(...alarmsIn(server.log()));
      const fresh = await freshTraces();
      if (fresh.length > 0) midFlush++;
      for (const trace of fresh) traces.add(trace);
    }

    const server = await startServer({ dataFolder, environment: { SVC_CACHE_TTL_SECS: "0" } });
    for (const { siteId, expectation } of expectations) expectation.check(await totalOf(server.origin, siteId), "at the end");
    const { sites } = await getJson<{ sites: string[] }>(`${server.origin}/api/sites`);
    const slices = sites.filter((siteId) => siteId.startsWith("slice-"));
    const answered = new Map<string, number>();
    for (const siteId of slices) for (const [page, events] of await pagesOf(server.origin, siteId)) answered.set(page, events);
    expectEachOnce(answered, load, ({ siteId }) => siteId.startsWith("slice-"));

    expect(await server.stop()).toBe(0);
    const stored = await readStoredEvents(dataFolder);
    expectEachOnce(stored.pages, load, () => true);
    expect(stored.inJournalOnly).toBe(0);

    expect([...alarms, ...alarmsIn(server.log())]).toEqual([]);
    expect(load.refusals).toEqual([]);
    // Otherwise the rounds did not try what they are for. A flush may end before the process does.
    expect(load.acknowledged.length).toBeGreaterThan(ROUNDS * 100);
    expect(midFlush).toBeGreaterThanOrEqual(flushRounds - 1);
    process.stdout.write(
      `FAULT_SEED=${SEED}: ${load.acknowledged.length} events acknowledged, ${load.unanswered.length} unanswered, ` +
        `${midFlush} of ${ROUNDS} kills in the middle of a flush\n`,
    );
  },
  TEST_MS_MAX,
);
