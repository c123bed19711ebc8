/** Temporary folders, removed after the test. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder; the caller removes it. */
export const makeTempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "sandpiper-test-"));

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** An empty folder for the running test. */
export async function tempFolder(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}
