/** The built program as a child process that a test can kill, stop and read, with every wait bounded. */
import { spawn, type ChildProcess } from "node:child_process";
import { MAIN_PATH } from "./built.ts";
import type { Environment } from "./target.ts";

export interface ServerOptions {
  readonly dataFolder: string;
  /** The whole environment of the process, beside folder and port. */
  readonly environment?: Environment;
}

/** How a process ended: one of the two is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that may not listen yet, or never will. */
export interface SpawnedServer {
  readonly pid: number;
  /** Its address once it listens; rejects when it ends before that. */
  readonly listening: Promise<string>;
  readonly exited: Promise<Exit>;
  /** Everything it has printed so far. */
  log(): string;
  kill9(): Promise<void>;
  /** Asks it to stop; its exit code. */
  stop(signal?: "SIGTERM" | "SIGINT"): Promise<number | null>;
}

export interface ServerProcess extends SpawnedServer {
  readonly origin: string;
}

const LISTENING = /listens on (http:\/\/\S+)/;
const START_MS_MAX = 20_000;
const STOP_MS_MAX = 20_000;

/** Programs that a failed test may have left running. */
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

/** Starts the program on any free port and does not wait for it. */
export function spawnServer({ dataFolder, environment = {} }: ServerOptions): SpawnedServer {
  const child = spawn(process.execPath, [MAIN_PATH], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environment, SVC_PORT: "0", SVC_DATA_DIR: dataFolder },
  });
  alive.add(child);
  let printed = "";
  // "close" comes when the output has been read to its end, too.
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => {
      alive.delete(child);
      resolve({ code, signal });
    });
  });
  const listening = new Promise<string>((resolve, reject) => {
    const onChunk = (chunk: Buffer) => {
      printed += chunk.toString();
      const origin = LISTENING.exec(printed)?.[1];
      if (origin !== undefined) resolve(origin);
    };
    child.stdout.on("data", onChunk);
    child.stderr.on("data", onChunk);
    child.once("error", reject);
    void exited.then(({ code, signal }) => reject(new Error(`the program ended (${signal ?? code}) before it listened:\n${printed}`)));
  });
  listening.catch(() => {
    // Whoever waits for the address hears of it; a test that kills the program early does not wait.
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
    return { ...server, origin: await within(START_MS_MAX, "the program's start", server.listening) };
  } catch (error) {
    await server.kill9();
    throw error;
  }
}
