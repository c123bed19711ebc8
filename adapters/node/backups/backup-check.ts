/** Compares a backup with its manifest: which files are missing, were added, or have changed. */
import { join } from "node:path";
import type { Fault } from "../../../src/runtime/upkeep/verification.ts";
import { digestOf, isSameContent } from "../files/file-content.ts";
import type { FileSystem } from "../files/file-system.ts";
import type { Progress } from "../progress.ts";
import { filesBelow } from "./folder-tree.ts";
import { MANIFEST_FILE, type Manifest } from "./manifest.ts";

/** Reads every file. Returns the differences; none if the backup equals its manifest. */
export async function checkBackup(folder: string, { entries }: Manifest, files: FileSystem, progress: Progress): Promise<Fault[]> {
  const differences: Fault[] = [];
  const present = new Set<string>();
  progress.begin("checking", entries.size);
  for await (const { name: file, isRegular } of filesBelow(folder, files)) {
    if (file === MANIFEST_FILE) continue;
    present.add(file);
    if (!isRegular) {
      // To read a pipe, for example, would never end.
      differences.push({ file, reason: "it is not a regular file" });
      continue;
    }
    const recorded = entries.get(file);
    if (!recorded) {
      differences.push({ file, reason: "it is not in the manifest" });
      continue;
    }
    const found = await digestOf(join(folder, file), files);
    if (found === null || !isSameContent(found, recorded)) differences.push({ file, reason: "its content has changed" });
    progress.fileDone(recorded.bytes);
  }
  for (const file of entries.keys()) if (!present.has(file)) differences.push({ file, reason: "it is missing" });
  return differences;
}
