/** One process at a time works on a data folder. */
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

const LOCK_FILE = "lock";

/** Refuses a folder that a running process holds. */
export class FolderLockedError extends Error {
  override readonly name = "FolderLockedError";
}

export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Tells one life of a process from another that got its number later: when it was started, in ticks
 * since the machine was. Empty where the system does not say; the number alone must do then.
 */
async function startOf(pid: number): Promise<string> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, "utf8");
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    return `${boot} ${status.slice(status.lastIndexOf(")")).split(" ")[20] ?? ""}`;
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function holderOf(path: string): Promise<number | null> {
  const [pidText = "", start = ""] = (await readFile(path, "utf8")).split("\n");
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid || !isRunning(pid)) return null;
  const runningStart = await startOf(pid);
  return start === "" || runningStart === "" || start === runningStart ? pid : null;
}

/** A lock that a full disk cuts short would be nobody's, and is taken back. */
async function writeNew(path: string, content: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(content);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Takes the lock; a lock whose holder is gone (killed, or the machine restarted) is taken over. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, LOCK_FILE);
  const content = `${process.pid}\n${await startOf(process.pid)}\n`;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await writeNew(path, content);
      return { release: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await holderOf(path);
    if (holder !== null) {
      throw new FolderLockedError(
        `the data folder ${folder} is in use by process ${holder}; stop that one first, or give this one another data_dir`,
      );
    }
    await rm(path, { force: true });
  }
  throw new FolderLockedError(`the data folder ${folder} is being locked by another process that starts at the same time`);
}
