/** The command `reset-password`: replaces a forgotten admin password in a data folder that no process uses. */
import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { withoutLineBreak } from "../config-sources.ts";
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ADMIN_RECORD, replacePassword } from "../../../src/runtime/access/admin-password.ts";
import { SESSIONS_RECORD } from "../../../src/runtime/access/persistent-sessions.ts";
import { createArgon2id } from "../../../src/runtime/access/password-hasher.ts";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import type { Log } from "../../../src/runtime/base/metrics/log.ts";
import { exitWhenLost, openDataDir } from "../data-dir/data-dir.ts";
import { createFileRecordStore } from "../files/file-stores.ts";
import { isNotFound } from "../files/file-system.ts";
import type { Command } from "./command-line.ts";
import { PASSWORD_BYTES_MAX } from "../../../src/runtime/base/config/admin-limits.ts";

/** The longest password and a line break. */
const INPUT_BYTES_MAX = PASSWORD_BYTES_MAX + 2;

async function readPiped(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    length += chunk.length;
    if (length > INPUT_BYTES_MAX) throw new Error(`standard input has more than ${INPUT_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  if (length === 0) throw new Error("standard input is empty. Send it the new password, or run the command in a terminal");
  const password = withoutLineBreak(Buffer.concat(chunks));
  if (password === null) throw new Error("standard input is not valid UTF-8");
  if (/[\r\n]/.test(password)) throw new Error("standard input has more than one line");
  return password;
}

/** Rejects if the user gives up with Ctrl-C or Ctrl-D. */
async function ask(terminal: Interface, prompt: string): Promise<string> {
  const controller = new AbortController();
  const giveUp = () => controller.abort();
  terminal.once("SIGINT", giveUp).once("close", giveUp);
  process.stderr.write(prompt);
  try {
    return await terminal.question("", { signal: controller.signal });
  } catch (error) {
    throw new Error("no password was entered", { cause: error });
  } finally {
    terminal.off("SIGINT", giveUp).off("close", giveUp);
    process.stderr.write("\n");
  }
}

async function askTwice(input: NodeJS.ReadStream): Promise<string> {
  // Readline turns the terminal's own echo off and writes what is typed here instead.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  try {
    const password = await ask(terminal, "New admin password: ");
    if ((await ask(terminal, "Repeat the password: ")) !== password) throw new Error("the two passwords differ");
    return password;
  } finally {
    terminal.close();
  }
}

/**
 * Reads the password twice from a terminal, without showing it, or once from standard input. It is never an argument, which all users of the
 * machine can list.
 */
const readNewPassword = (): Promise<string> => (process.stdin.isTTY ? askTwice(process.stdin) : readPiped(process.stdin));

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
    const records = createFileRecordStore(folder);
    await replacePassword({ records, hasher: createArgon2id(randomBytes) }, await readNewPassword());
    // They have ended with the old password, whose hash they are bound to: this keeps them out of the list in the dashboard.
    await records.remove(SESSIONS_RECORD);
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
