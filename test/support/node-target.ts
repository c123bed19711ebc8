/** The built program in its own process, over TCP. */
import { fetchAt } from "./fetch-at.ts";
import { CLOCK_AHEAD_MS, nowMs } from "./fixed-clock.ts";
import { startServer, type ServerProcess } from "./server-process.ts";
import { TARGET_DEFAULTS, type AbleTarget, type Environment, type MakeTarget, type Target } from "./target.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

export type NodeTarget = AbleTarget<"answersEarly" | "setupCode" | "restart" | "crash"> & {
  readonly dataFolder: string;
  /** The current origin. */
  origin(): string;
  /** The output since its last start. */
  log(): string;
};

const SETUP_CODE = / setupCode=(\S+)/;

export async function createNodeTarget(environment: Environment = {}): Promise<NodeTarget> {
  const dataFolder = await makeTempFolder();
  const start = (): Promise<ServerProcess> =>
    startServer({ dataFolder, clockAheadMs: CLOCK_AHEAD_MS, environment: { ...TARGET_DEFAULTS, ...environment } });
  let server = await start();

  async function stop(): Promise<void> {
    const code = await server.stop();
    if (code !== 0) throw new Error(`the program stopped with code ${code}:\n${server.log()}`);
  }

  return {
    name: "node",
    answersEarly: true,
    readsFiles: true,
    dataFolder,
    origin: () => server.origin,
    log: () => server.log(),
    fetch: (path, init = {}) => fetchAt(new URL(path, server.origin), init),
    async setupCode() {
      const status = await fetch(new URL("/api/auth/status", server.origin));
      const { setup_required: isOpen } = (await status.json()) as { setup_required: boolean };
      if (!isOpen) return null;
      await server.logged(SETUP_CODE);
      return SETUP_CODE.exec(server.log())?.[1] ?? null;
    },
    nowMs,
    async restart() {
      await stop();
      server = await start();
    },
    async crash() {
      await server.kill9();
      server = await start();
    },
    async close() {
      await stop();
      await removeFolder(dataFolder);
    },
  };
}

export interface NodeTargets extends MakeTarget {
  /** Stops all running programs. */
  closeAll(): Promise<void>;
}

export const NO_CLOCK = "The program uses the machine's clock, which tests cannot change.";
export const NO_ADDRESS = "Connections to the program come from this machine's own addresses, all of which are private.";
export const NO_FLUSH = "Nothing outside the program can tell when a flush has ended. A restart flushes, and that is tried.";

export const NODE_LACKS: MakeTarget["lacks"] = { advance: NO_CLOCK, flush: NO_FLUSH, comesFromAnywhere: NO_ADDRESS };

/** The maximum number of idle programs kept for later suites with the same options. Each takes memory. */
const IDLE_PROGRAMS_MAX = 12;

interface Program {
  readonly target: Promise<NodeTarget>;
  users: number;
}

/** Programs for the suites of one file; suites with the same options share one. */
export function nodeTargets(): NodeTargets {
  /** Least recently used first. */
  const programs = new Map<string, Program>();

  async function stopIdle(idleMax: number): Promise<void> {
    const idle = [...programs].filter(([, { users }]) => users === 0);
    for (const [key, { target }] of idle.slice(0, Math.max(0, idle.length - idleMax))) {
      programs.delete(key);
      await (await target).close();
    }
  }

  const makeTarget = async (environment: Environment = {}): Promise<Target> => {
    const key = JSON.stringify(Object.entries({ ...TARGET_DEFAULTS, ...environment }).sort());
    const program = programs.get(key) ?? { target: createNodeTarget(environment), users: 0 };
    programs.delete(key);
    programs.set(key, program);
    program.users++;
    return {
      ...(await program.target),
      async close() {
        program.users--;
        await stopIdle(IDLE_PROGRAMS_MAX);
      },
    };
  };

  return Object.assign(makeTarget, {
    lacks: NODE_LACKS,
    skipped: [],
    needing: [],
    async closeAll() {
      for (const { target } of programs.values()) await (await target).close();
    },
  });
}

/** A started program, which the caller stops, as a target. */
export const asTarget = (server: ServerProcess): Target => ({
  name: "program",
  fetch: (path, init) => fetch(new URL(path, server.origin), init),
  nowMs: Date.now,
  close: async () => {},
});
