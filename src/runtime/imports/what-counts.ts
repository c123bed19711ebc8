/** Which files of a folder count, for commands that read it while a server may use it. */
import type { PartitionsOptions } from "../../storage/partitions.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { hiddenByRenames, readableRenames } from "../sites/site-names.ts";
import { hiddenByMerges, type ReadableImports, readableImports, showsFile } from "./import-record.ts";

/** Damaged records of imports and renames show nothing, and hide nothing: `verify` reports them. */
export async function readWhatCounts(
  records: Pick<RecordStore, "list" | "read">,
  imports?: ReadableImports,
): Promise<Required<Pick<PartitionsOptions, "isShown" | "isHidden">>> {
  const known = imports ?? (await readableImports(records));
  const hidden = new Set([...hiddenByRenames(await readableRenames(records)), ...hiddenByMerges(known.values())]);
  return {
    isShown: (importNumber, index) => showsFile(known.get(importNumber), index),
    isHidden: (siteId) => hidden.has(siteId),
  };
}
