/** A small file system that a test can fill completely, if this process may mount one. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

function mount(sizeKib: number): string {
  const folder = mkdtempSync(join(tmpdir(), "sandpiper-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKib}k`, "tmpfs", folder], { stdio: "pipe" });
    return folder;
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
}

function unmount(folder: string): void {
  // Lazily: a program that a failed test left behind may still hold files there.
  execFileSync("umount", ["-l", folder], { stdio: "pipe" });
  rmdirSync(folder);
}

function refusal(): string | null {
  try {
    unmount(mount(64));
    return null;
  } catch (error) {
    return `No file system can be mounted: ${String(error).split("\n")[0]}`;
  }
}

/** The reason why suites with a small disk are skipped on this machine; null if they run. */
export const NO_SMALL_DISK = refusal();

export interface SmallDisk {
  /** An empty folder on it. */
  readonly dataFolder: string;
  /** Fills the disk completely. Files that end within a page may still grow to its end. */
  fill(): Promise<void>;
  /** Removes what `fill` wrote. */
  makeRoom(): Promise<void>;
  readOnly(isReadOnly: boolean): void;
}

const CHUNK = new Uint8Array(64 * 1024);

/** For the running test. */
export async function smallDisk(sizeKib: number): Promise<SmallDisk> {
  const root = mount(sizeKib);
  onTestFinished(() => unmount(root));
  const dataFolder = join(root, "data");
  await mkdir(dataFolder);
  const ballast = join(root, "ballast");
  return {
    dataFolder,
    async fill() {
      const handle = await open(ballast, "a");
      try {
        for (;;) await handle.write(CHUNK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        await handle.close();
      }
    },
    makeRoom: () => rm(ballast, { force: true }),
    readOnly: (isReadOnly) => void execFileSync("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, root], { stdio: "pipe" }),
  };
}
