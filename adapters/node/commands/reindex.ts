/** The command `reindex`: fills ClickHouse from the files of a data folder that no process uses. */
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { isSiteId } from "../../../src/runtime/base/config/names.ts";
import { openClickhouse } from "../../../src/runtime/clickhouse/clickhouse.ts";
import { covers } from "../../../src/runtime/clickhouse/deletion.ts";
import { StoredSegments } from "../../../src/runtime/clickhouse/clickhouse-events.ts";
import { reindex as reindexFiles, type ReindexReport } from "../../../src/runtime/clickhouse/cluster/reindex.ts";
import { readWhatCounts } from "../../../src/runtime/imports/what-counts.ts";
import { createCounters } from "../../../src/runtime/base/metrics/metrics.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import { inlineParquetWriter } from "../../../src/storage/parquet-events.ts";
import { Partitions } from "../../../src/storage/partitions.ts";
import { connectClickhouse } from "../../clickhouse-connection.ts";
import { counted, createProgress, listed, type CommandOutcome, type Progress } from "../command-output.ts";
import { exitWhenLost, openDataDir, mustBeFolder, openStores } from "../data-dir/data-dir.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import type { Command } from "./command-line.ts";

function linesOf({ differences, differenceCount, ...report }: ReindexReport): string[] {
  const { sites, files, events, insertedFiles, insertedEvents, deletedRows } = report;
  return [
    `  ${counted(sites, "site")}, ${counted(files, "file")}, ${counted(events, "event")}`,
    `  inserted: ${counted(insertedEvents, "event")} of ${counted(insertedFiles, "file")}; deleted: ${counted(deletedRows, "row")}`,
    differenceCount === 0 ? "  ClickHouse has every event of the files once" : `  ${counted(differenceCount, "difference")}:`,
    ...listed(differences, differenceCount),
  ];
}

/** The folder is locked by the caller. */
async function run(folder: string, config: Config, progress: Progress, log: Log): Promise<ReindexReport> {
  const { objects, records, segmentLog } = await openStores(folder, "off", nodeFileSystem);
  const clickhouse = await openClickhouse({
    ...{ config, connectClickhouse, records, randomBytes },
    counters: createCounters(),
    monotonicMs: () => performance.now(),
  });
  if (clickhouse === null) throw new Error('engine is "duckdb", which needs no index. Set engine = "clickhouse" and clickhouse_url');
  const onStray = (key: string, fault: string) => log.warn(`${key} ${fault}`);
  progress.begin("reindexing");
  try {
    const listing = { objects, parquet: inlineParquetWriter, isSiteId, listingsMax: 1, onStray };
    const partitions = new Partitions({ ...listing, ...(await readWhatCounts(records)) });
    const stored = new StoredSegments(clickhouse);
    const onFile = (bytes: number) => progress.fileDone(bytes);
    const parts = {
      partitions,
      records,
      journaled: await segmentLog.list(),
      stored,
      events: clickhouse.events,
      randomBytes,
      onFile,
    };
    const pending = await clickhouse.requests.pending();
    return await reindexFiles({ ...parts, isErased: (siteId, day) => pending.some((request) => covers(request, siteId, day)) });
  } finally {
    progress.end();
    await segmentLog.close();
  }
}

/** Rejects if the folder does not exist, or if a process uses it. */
async function reindexFolder(config: Config, log: Log): Promise<CommandOutcome> {
  const folder = resolve(config.dataDir);
  await mustBeFolder(folder, nodeFileSystem);
  const lock = await openDataDir(folder, exitWhenLost(folder, log));
  try {
    const report = await run(folder, config, createProgress(process.stderr), log);
    return { succeeded: report.differenceCount === 0, text: `${[folder, ...linesOf(report)].join("\n")}\n` };
  } finally {
    await lock.release();
  }
}

export const reindex: Command = {
  name: "reindex",
  verb: "reindex",
  arguments: [],
  options: [],
  help: "fill ClickHouse from the files of a stopped server",
  run: ({ config, log }) => reindexFolder(config, log),
};
