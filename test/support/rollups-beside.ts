/** A store of rollups beside an event store, whose rollups list the pages of their events as JSON. */
import { type PartitionVersion, partitionVersionOf } from "../../src/storage/partitions.ts";
import { originOf, type RollupDefinitions } from "../../src/runtime/duckdb/rollups/rollup-origin.ts";
import { RollupStore } from "../../src/runtime/duckdb/rollups/rollup-store.ts";
import { type LocalDate, type SiteId, TEXT_COLUMNS } from "../../src/storage/event.ts";
import type { EventStore } from "../../src/storage/event-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { decodeEvents } from "../../src/storage/parquet-events.ts";
import type { RollupOrigin } from "../../src/storage/rollup.ts";
import { jsonRollupBytes, jsonRollups, type JsonRollup } from "./json-rollups.ts";
import { createRecordingLog } from "./recording-log.ts";

const PATHNAME = TEXT_COLUMNS.filter(({ name }) => name === "pathname");

/** The pages of the events of a file. */
const pagesIn = (bytes: Uint8Array | null): string[] =>
  PATHNAME.flatMap((column) =>
    [...decodeEvents(bytes ?? new Uint8Array())].flatMap((decoded) => {
      const { texts, places } = decoded.text(column);
      return [...places].map((place) => texts[place] ?? "");
    }),
  );

const SETTINGS: RollupDefinitions = { definitions: "1", sessionWindowMinutes: 30, saltRotationDays: 1, arrivals: "" };

export function rollupsBeside(eventStore: EventStore, objects: ObjectStore, settings = SETTINGS) {
  const log = createRecordingLog();
  const { calculator, reads } = jsonRollups(objects);
  const rollups = new RollupStore({ ...settings, arrivalsOf: () => settings.arrivals, eventStore, objects, calculator, log });

  const versions = (site: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<PartitionVersion[]> =>
    eventStore.withSnapshot(site, firstDay, lastDay, async (partitions) => partitions.map(partitionVersionOf));

  const originOfDays = async (site: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<RollupOrigin> =>
    originOf(site, { firstDay, lastDay, days: await versions(site, firstDay, lastDay) }, settings);

  /** The pages of the events of these days that are in files, sorted. */
  async function pages(site: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<string[]> {
    const files = (await versions(site, firstDay, lastDay)).flatMap((version) => version.files);
    return (await Promise.all(files.map(async (file) => pagesIn(await eventStore.read(file))))).flat().sort();
  }

  return {
    rollups,
    log,
    reads,
    versions,
    originOfDays,
    pages,
    /** Stores a rollup of these days as they are now; returns whether it was stored. */
    async store(site: SiteId, firstDay: LocalDate, lastDay: LocalDate, header: Partial<JsonRollup> = {}): Promise<boolean> {
      const origin = await originOfDays(site, firstDay, lastDay);
      return rollups.put(origin, jsonRollupBytes(origin, { content: await pages(site, firstDay, lastDay), ...header }));
    },
  };
}
