/** The built program as a child process that a test can kill, stop and read, with every wait bounded. */
import { spawn, type ChildProcess } from "node:child_process";
import { DAY_MS } from "../../src/storage/event.ts";
import { MAIN_PATH } from "./built.ts";
import { QUICK_ENGINE_FLAGS } from "./engine-flags.ts";
import type { Environment } from "./target.ts";

export interface ServerOptions {
  /** Absent if the command finds it. */
  readonly dataFolder?: string;
  /** The complete environment of the process, except data folder and port. */
  readonly environment?: Environment;
  /** The longest file that it may write, in blocks of 512 bytes: a write beyond is cut there and fails, as on a full disk. */
  readonly fileBlocksMax?: number;
  /** How far its clock is ahead of the machine's. With this, `nextDay` moves it on. */
  readonly clockAheadMs?: number;
  /** How far `leap` moves its monotonic clock on. Not together with `clockAheadMs`: both use the same signal. */
  readonly leapMs?: number;
  /** The script to run instead of the built program. */
  readonly command?: readonly string[];
  /** Its current folder. */
  readonly cwd?: string;
  /** The user that runs it; needs a test that runs as root. */
  readonly uid?: number;
}

/** How a process ended. One of the two is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started program that may not listen yet. */
export interface SpawnedServer {
  readonly pid: number;
  /** Resolves with its origin once it listens. Rejects if it ends before. */
  readonly listening: Promise<string>;
  readonly exited: Promise<Exit>;
  /** Its output so far. */
  log(): string;
  /** Resolves when its output matches. */
  logged(pattern: RegExp): Promise<void>;
  /** Advances its clock by a day. Needs `clockAheadMs`. */
  nextDay(): void;
  /** Advances its monotonic clock, so that whatever has waited since before has waited too long. Needs `leapMs`. */
  leap(): void;
  kill9(): Promise<void>;
  /** Sends the signal, by default SIGTERM, and resolves with the exit code. */
  stop(signal?: "SIGTERM" | "SIGINT" | "SIGHUP"): Promise<number | null>;
}

export interface ServerProcess extends SpawnedServer {
  readonly origin: string;
}

const LISTENING = /listens on (http:\/\/\S+)\s/;
/** At least ten times the duration on an idle machine. */
const START_MS_MAX = 60_000;
/** The timeout of a command that builds the program first. */
const BUILD_MS_MAX = 40_000;
const STOP_MS_MAX = 60_000;
const LOGGED_MS_MAX = 60_000;

/** All running programs, so that those of a failed test can be killed. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timeout = setTimeout(() => reject(new Error(`${what} took more than ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timeout);
  }
}

/** Flags of Node that set a program's clock ahead of the machine's. */
export const clockFlags = (aheadMs = 0): string[] =>
  aheadMs === 0
    ? []
    : [
        "--import",
        `data:text/javascript,const machineMs=Date.now;let ahead=${aheadMs};Date.now=()=>machineMs()+ahead;process.on("SIGUSR2",()=>{ahead+=${DAY_MS}})`,
      ];

const leapFlags = (leapMs: number | undefined): string[] =>
  leapMs === undefined
    ? []
    : [
        "--import",
        `data:text/javascript,const machineMs=performance.now.bind(performance);let ahead=0;performance.now=()=>machineMs()+ahead;process.on("SIGUSR2",()=>{ahead+=${leapMs}})`,
      ];

/** Starts the program on a free port without waiting until it listens. */
export function spawnServer({
  dataFolder,
  environment = {},
  fileBlocksMax,
  clockAheadMs,
  leapMs,
  command,
  cwd,
  uid,
}: ServerOptions): SpawnedServer {
  const program = command ?? [process.execPath, ...QUICK_ENGINE_FLAGS, ...clockFlags(clockAheadMs), ...leapFlags(leapMs), MAIN_PATH];
  const [file = "", ...args] =
    fileBlocksMax === undefined ? program : ["/bin/sh", "-c", `ulimit -f ${fileBlocksMax}; exec "$0" "$@"`, ...program];
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environment, SVC_PORT: "0", ...(dataFolder !== undefined && { SVC_DATA_DIR: dataFolder }) },
    cwd,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  alive.add(child);
  let printed = "";
  const onPrinted = new Set<() => void>();
  // Unlike "exit", "close" waits until the output has been read to its end.
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => {
      alive.delete(child);
      resolve({ code, signal });
    });
  });
  child.once("error", (error) => (printed += String(error)));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      for (const look of onPrinted) look();
    });
  }
  /** Resolves with the pattern's capture once the output matches. Rejects if the program ends before. */
  const captured = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(printed);
        if (!match) return;
        onPrinted.delete(look);
        resolve(match[1] ?? "");
      };
      onPrinted.add(look);
      look();
      void exited.then(({ code, signal }) =>
        reject(new Error(`the program ended (${signal ?? code}) before it printed ${pattern}:\n${printed}`)),
      );
    });
  const listening = captured(LISTENING);
  listening.catch(() => {
    // Reported to tests that await the address. A test that kills the program early does not.
  });
  const end = (signal: NodeJS.Signals): Promise<Exit> => {
    child.kill(signal);
    return within(STOP_MS_MAX, `the program's end after ${signal}`, exited);
  };
  return {
    pid: child.pid ?? 0,
    listening,
    exited,
    log: () => printed,
    async logged(pattern) {
      await within(LOGGED_MS_MAX, `the log line ${pattern}`, captured(pattern));
    },
    nextDay() {
      child.kill("SIGUSR2");
    },
    leap() {
      child.kill("SIGUSR2");
    },
    async kill9() {
      await end("SIGKILL");
    },
    async stop(signal = "SIGTERM") {
      return (await end(signal)).code;
    },
  };
}

/** Starts the program and waits until it listens. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const server = spawnServer(options);
  try {
    return {
      ...server,
      origin: await within(options.command ? BUILD_MS_MAX + START_MS_MAX : START_MS_MAX, "the program's start", server.listening),
    };
  } catch (error) {
    await server.kill9();
    throw error;
  }
}
