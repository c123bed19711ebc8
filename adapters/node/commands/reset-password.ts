/** The command `reset-password`: replaces a forgotten admin password in a data folder that no process uses. */
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ADMIN_RECORD, replacePassword } from "../../../src/runtime/access/admin-password.ts";
import { createArgon2id } from "../../../src/runtime/access/password-hasher.ts";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import { exitWhenLost, openDataDir } from "../data-dir/data-dir.ts";
import { createFileRecordStore } from "../files/file-record-store.ts";
import { isNotFound } from "../files/file-system.ts";
import { readNewPassword } from "./new-password.ts";
import type { Command } from "./command.ts";

/** Refuses a folder without a password, which may be the wrong one, and a file that the server could not read once it is replaced. */
async function checkStoredPassword(folder: string): Promise<void> {
  const path = join(folder, ADMIN_RECORD);
  const { uid } = await stat(path).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new Error(`${folder} (data_dir) holds no password. Set one in the dashboard`, { cause: error });
  });
  const ourUid = process.getuid?.();
  if (ourUid !== undefined && uid !== ourUid) throw new Error(`${path} belongs to another user (${uid}). Run this command as that user`);
}

/** Holds the folder meanwhile: a running process knows the old password, and would accept it until its end. */
async function replaceStored({ adminPassword, dataDir }: Config, log: Log): Promise<void> {
  if (adminPassword !== null) {
    throw new Error("the admin password of the configuration (admin_password) overrides the stored one. Change or remove it there");
  }
  const folder = resolve(dataDir);
  await checkStoredPassword(folder);
  const lock = await openDataDir(folder, exitWhenLost(folder, log), (message) => log.warn(message));
  try {
    await replacePassword({ records: createFileRecordStore(folder), hasher: createArgon2id(randomBytes) }, await readNewPassword());
  } finally {
    await lock.release();
  }
}

export const resetPassword: Command = {
  name: "reset-password",
  verb: "reset the password",
  arguments: [],
  options: [],
  help: "replace the admin password of a stopped server",
  async run({ config, log }) {
    await replaceStored(config, log);
    return { succeeded: true, text: "the admin password is replaced; API keys stay valid\n" };
  },
};
