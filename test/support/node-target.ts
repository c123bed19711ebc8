/** The built program as a process of its own, asked over TCP. */
import { startServer, type ServerProcess } from "./server-process.ts";
import { TARGET_DEFAULTS, type AbleTarget, type Environment, type MakeTarget, type Target } from "./target.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

export type NodeTarget = AbleTarget<"restart" | "crash"> & {
  readonly dataFolder: string;
  /** Where it listens now. */
  origin(): string;
  /** Everything it has printed since its last start. */
  log(): string;
};

export async function createNodeTarget(environment: Environment = {}): Promise<NodeTarget> {
  const dataFolder = await makeTempFolder();
  const start = (): Promise<ServerProcess> => startServer({ dataFolder, environment: { ...TARGET_DEFAULTS, ...environment } });
  let server = await start();

  async function stop(): Promise<void> {
    const code = await server.stop();
    if (code !== 0) throw new Error(`the program stopped with code ${code}:\n${server.log()}`);
  }

  return {
    name: "node",
    dataFolder,
    origin: () => server.origin,
    log: () => server.log(),
    fetch: (path, init = {}) => fetch(new URL(path, server.origin), init),
    nowMs: Date.now,
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
  /** Stops every program that was started. */
  closeAll(): Promise<void>;
}

/** Programs for the suites of one file: those that ask for the same options share one, which `closeAll` stops. */
export function nodeTargets(): NodeTargets {
  const started = new Map<string, Promise<NodeTarget>>();
  const makeTarget = async (environment: Environment = {}): Promise<Target> => {
    const key = JSON.stringify(Object.entries(environment).sort());
    let target = started.get(key);
    if (!target) started.set(key, (target = createNodeTarget(environment)));
    return { ...(await target), close: async () => {} };
  };
  return Object.assign(makeTarget, {
    abilities: ["restart", "crash"] as const,
    skipped: [],
    async closeAll() {
      await Promise.all([...started.values()].map(async (target) => (await target).close()));
    },
  });
}
