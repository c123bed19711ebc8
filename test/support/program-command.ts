/** A command of the built program, run to its end. */
import { execFile } from "node:child_process";
import { MAIN_PATH } from "./built.ts";
import type { Environment } from "./target.ts";

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Its complete environment. */
  readonly environment?: Environment;
  /** Its working directory. */
  readonly folder?: string;
  /** What it reads from standard input. */
  readonly input?: string | Uint8Array;
}

const COMMAND_MS_MAX = 60_000;

export function runProgram(args: readonly string[], { environment = {}, folder, input = "" }: CommandOptions = {}): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { timeout: COMMAND_MS_MAX, env: { ...environment }, cwd: folder };
    const child = execFile(process.execPath, [MAIN_PATH, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    // A command that does not read its input may have ended.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
