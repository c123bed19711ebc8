/** Archives of sites in a data folder, as the program makes them, in this process. */
import { exportArchive } from "../../adapters/node/exports/archive-file.ts";
import { createArchiveMaker } from "../../adapters/node/exports/archive-maker.ts";
import { type ArchiveMaker, formatsIn } from "../../src/runtime/exports/site-exports.ts";
import { createEngineShare } from "./shared-engine.ts";

export const archiveMakerIn = (dataDir: string): Promise<ArchiveMaker> =>
  createArchiveMaker(dataDir, async ({ siteId, format, firstDay, lastDay }, path) => {
    const config = { dataDir, sessionWindowMinutes: 30, engineMemoryMb: 64 };
    await exportArchive(config, path, {
      formats: formatsIn(format),
      siteId,
      from: firstDay,
      to: lastDay,
      hasVisitors: false,
      openEngine: createEngineShare,
    });
  });
