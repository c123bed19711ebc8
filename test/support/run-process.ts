/** Processes that run to their end: any command of this machine, and commands of the built program. */
import { execFile } from "node:child_process";
import { MAIN_PATH } from "./built.ts";
import type { Environment } from "./target.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** The complete environment, except for `PATH`. */
  readonly environment?: Environment;
  /** Its standard input. */
  readonly input?: string | Uint8Array;
  /** The user that runs it; needs a test that runs as root. */
  readonly uid?: number;
}

/** Ten times what the slowest one takes on an idle machine. */
const RUN_MS_MAX = 100_000;

/** Resolves with the exit code, whatever it is. Rejects if the process does not start or does not end. */
export function runProcess(command: readonly string[], { cwd, environment = {}, input = "", uid }: RunOptions = {}): Promise<Ended> {
  const [file = "", ...args] = command;
  const env = { PATH: process.env["PATH"], ...environment };
  const owner = uid === undefined ? {} : { uid, gid: uid };
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { cwd, env, timeout: RUN_MS_MAX, ...owner }, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    // A command that does not read its input may have ended.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** Runs a command of the built program. */
export const runProgram = (args: readonly string[], options?: RunOptions): Promise<Ended> =>
  runProcess([process.execPath, MAIN_PATH, ...args], options);
