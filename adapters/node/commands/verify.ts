/** The command `verify`: reads and checks everything in a data folder. It runs beside a process that uses the folder. */
import { resolve } from "node:path";
import { budgetBytesOf } from "../../../src/runtime/execution/query-services.ts";
import { parsePeriodSecret } from "../../../src/runtime/ingest/period-secret.ts";
import type { RollupCounts, RollupVerificationOptions } from "../../../src/runtime/jobs/rollup-verification/rollup-verification.ts";
import { verifyData, type Fault, type VerificationReport } from "../../../src/runtime/jobs/verification.ts";
import { reasonOf } from "../../../src/runtime/metrics/log.ts";
import { utcCalendar } from "../../../src/storage/calendar.ts";
import { mustBeFolder, openStores } from "../data-dir-stores.ts";
import { createFileSecretStore } from "../file-secret-store.ts";
import { nodeFileSystem, type FileSystem } from "../file-system.ts";
import { ThreadedEngine } from "../threaded-engine.ts";
import { THREADS } from "../threads.ts";
import { counted, whole, type Command, type CommandOption, type CommandOutcome } from "./command.ts";

function rollupLinesOf({ rollups, compared, outdated, uncompared, uncomparedReason }: RollupCounts): string[] {
  if (rollups === 0) return [];
  return [
    `  ${counted(rollups, "rollup")}: ${whole(compared)} compared with the events, ${whole(outdated)} outdated`,
    ...(uncompared > 0 ? [`  ${counted(uncompared, "rollup")} that could not be compared: ${uncomparedReason}`] : []),
  ];
}

function linesOf(folder: string, report: VerificationReport, faults: readonly Fault[], faultCount: number): string[] {
  const { events, files, bytes, days, sites, unflushedEvents, segments, tornSegments, supersededFiles, rollups } = report;
  return [
    folder,
    `  ${counted(sites, "site")}, ${counted(days, "day")} of sites, ${counted(files, "file")} of ${whole(bytes)} bytes, ${counted(events, "event")}`,
    `  journal: ${counted(segments, "segment")}, ${counted(unflushedEvents, "event")} in no file yet`,
    ...(tornSegments > 0 ? [`  ${counted(tornSegments, "segment")} with half a line at the end, which was never acknowledged`] : []),
    ...rollupLinesOf(rollups),
    ...(supersededFiles > 0 ? [`  ${counted(supersededFiles, "file")} that a merge has superseded and that count no more`] : []),
    faultCount === 0 ? "  no fault" : `  ${counted(faultCount, "fault")}:`,
    ...faults.map(({ file, reason }) => `  - ${file}: ${reason}`),
    ...(faultCount > faults.length ? [`  - and ${whole(faultCount - faults.length)} more`] : []),
  ];
}

/** A folder without a secret is fine: a backup has none, and neither has an instance with a configured secret. */
async function checkSecret(folder: string, files: FileSystem): Promise<void> {
  const { read, location } = createFileSecretStore(folder, files);
  const text = await read();
  if (text !== null) parsePeriodSecret(text, location);
}

/** Reads and checks everything in a data folder; rollups only with options for them. Rejects if it does not exist. */
export async function verifyFolder(
  dataDir: string,
  files: FileSystem = nodeFileSystem,
  rollups?: RollupVerificationOptions,
): Promise<CommandOutcome> {
  const folder = resolve(dataDir);
  await mustBeFolder(folder, files);
  const report = await verifyData(await openStores(folder, "off", files), rollups);
  const secretFaults = await checkSecret(folder, files).then(
    () => [],
    (error: unknown) => [{ file: "secret", reason: reasonOf(error) }],
  );
  const faults = [...report.faults, ...secretFaults];
  const faultCount = report.faultCount + secretFaults.length;
  return { isWhole: faultCount === 0, text: `${linesOf(folder, report, faults, faultCount).join("\n")}\n` };
}

const ALL_ROLLUPS: CommandOption = { name: "--all-rollups", help: "compare all rollups, not a sample" };

export const verify: Command = {
  name: "verify",
  verb: "verify",
  arguments: [],
  options: [ALL_ROLLUPS],
  help: "check every file of the data folder, and report damage",
  run: ({ config, log, options }) =>
    verifyFolder(config.dataDir, nodeFileSystem, {
      openEngine: () => new ThreadedEngine({ workerUrl: THREADS.engine, moduleUrl: THREADS.engineModule, log }),
      budgetBytes: budgetBytesOf(config),
      all: options.has(ALL_ROLLUPS.name),
      today: utcCalendar.dateOf(Date.now()),
    }),
};
