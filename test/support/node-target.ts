/** The built program as a process of its own, asked over TCP. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { MAIN_PATH } from "./built.ts";
import type { Environment, MakeTarget, Target } from "./target.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

export interface NodeTarget extends Target, Required<Pick<Target, "restart" | "crash">> {
  readonly origin: string;
  readonly dataFolder: string;
  /** Everything it has printed, of all its lives. */
  output(): string;
}

interface Running {
  readonly process: ChildProcess;
  readonly origin: string;
}

const LISTENING = /listens on (http:\/\/\S+)/;

/** Processes that a test which failed half-way may have left. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

async function startProgram(environment: Environment, onOutput: (text: string) => void): Promise<Running> {
  const child = spawn(process.execPath, [MAIN_PATH], { stdio: ["ignore", "pipe", "pipe"], env: { ...environment } });
  running.add(child);
  let printed = "";
  const origin = await new Promise<string>((resolve, reject) => {
    const onChunk = (chunk: Buffer) => {
      printed += chunk.toString();
      onOutput(chunk.toString());
      const listening = LISTENING.exec(printed)?.[1];
      if (listening !== undefined) resolve(listening);
    };
    child.stdout.on("data", onChunk);
    child.stderr.on("data", onChunk);
    child.once("error", reject);
    child.once("exit", (code) => {
      running.delete(child);
      reject(new Error(`the program ended with code ${code} before it listened:\n${printed}`));
    });
  });
  return { process: child, origin };
}

async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, "exit");
  child.kill(signal);
  const [code] = (await exited) as [number | null];
  return code;
}

export async function createNodeTarget(environment: Environment = {}): Promise<NodeTarget> {
  const dataFolder = await makeTempFolder();
  let output = "";
  const start = () =>
    startProgram({ ...environment, SVC_PORT: "0", SVC_DATA_DIR: dataFolder }, (text) => {
      output += text;
    });
  let current = await start();

  async function stop(): Promise<void> {
    const code = await end(current.process, "SIGTERM");
    if (code !== 0) throw new Error(`the program stopped with code ${code}:\n${output}`);
  }

  return {
    name: "node",
    dataFolder,
    get origin() {
      return current.origin;
    },
    output: () => output,
    fetch: (path, init = {}) => fetch(new URL(path, current.origin), init),
    nowMs: Date.now,
    async restart() {
      await stop();
      current = await start();
    },
    async crash() {
      await end(current.process, "SIGKILL");
      current = await start();
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
    const { close: _close, ...rest } = Object.getOwnPropertyDescriptors(await target);
    return Object.defineProperties({}, { ...rest, close: { value: async () => {} } }) as Target;
  };
  return Object.assign(makeTarget, {
    abilities: ["restart", "crash"] as const,
    skipped: [],
    async closeAll() {
      for (const target of started.values()) await (await target).close();
    },
  });
}
