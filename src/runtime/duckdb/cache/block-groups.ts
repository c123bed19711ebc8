/** Groups days into blocks: consecutive days, up to a size. */
import type { Partition, PartitionFile } from "../../../storage/partition.ts";
import { sizeGroups } from "../../../storage/size-groups.ts";

/** The part of a partition that determines how it is grouped. */
type LoadedDay = Pick<Partition, "day" | "files">;

const bytesOfFiles = (files: readonly PartitionFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

export const parquetBytesOf = (days: readonly LoadedDay[]): number => bytesOfFiles(days.flatMap(({ files }) => files));

/** Groups consecutive days up to a size: small sites get few tables, large sites load in small steps. */
export const groupIntoBlocks = <Day extends LoadedDay>(missing: readonly Day[], blockBytesMax: number): Day[][] =>
  sizeGroups(missing, ({ files }) => bytesOfFiles(files), blockBytesMax);
