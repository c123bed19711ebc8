/** `wrangler dev` as a developer starts it, on a folder of the test. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WRANGLER = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin", "wrangler.js");

const READY = /Ready on (http:\/\/\S+)\s/;

/** The timeout of the start, which builds the Worker first. */
const READY_MS_MAX = 120_000;
const STOP_MS_MAX = 60_000;

/** The commands of docs/workers.md, without npx, which would only look for the first one. */
export const WRANGLER_COMMANDS = {
  wrangler: [process.execPath, WRANGLER, "dev"],
  npm: ["npm", "run", "dev:worker", "--"],
} as const;

export interface WranglerDev {
  /** Of the command. */
  readonly pid: number;
  readonly origin: string;
  /** Its output. */
  log(): string;
  /** Sends SIGINT, as Ctrl-C does. */
  stop(): Promise<void>;
  /** Kills the command, but none of the processes that it has started. Resolves when nothing writes to its output any more. */
  kill9(): Promise<void>;
}

/** `folder` receives the data and everything else that wrangler writes except the build. */
export async function startWranglerDev(
  folder: string,
  variables: Readonly<Record<string, string>>,
  command: keyof typeof WRANGLER_COMMANDS = "wrangler",
): Promise<WranglerDev> {
  const [program, ...args] = WRANGLER_COMMANDS[command];
  const vars = Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const child = spawn(program, [...args, "--ip", "127.0.0.1", "--port", "0", "--persist-to", join(folder, "state"), ...vars], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      CI: "true",
      NO_COLOR: "1",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_LOG_PATH: join(folder, "logs"),
      XDG_CONFIG_HOME: join(folder, "config"),
    },
  });
  let printed = "";
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  void ended.then(() => process.off("exit", kill));
  const origin = await new Promise<string>((resolve, reject) => {
    const giveUp = setTimeout(() => reject(new Error(`wrangler dev is not ready:\n${printed}`)), READY_MS_MAX);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
        const match = READY.exec(printed);
        if (!match?.[1]) return;
        clearTimeout(giveUp);
        resolve(match[1]);
      });
    }
    void ended.then(() => reject(new Error(`wrangler dev ended before it was ready:\n${printed}`)));
  });
  return {
    pid: child.pid ?? 0,
    origin,
    log: () => printed,
    async stop() {
      const giveUp = setTimeout(kill, STOP_MS_MAX);
      child.kill("SIGINT");
      await ended;
      clearTimeout(giveUp);
    },
    async kill9() {
      kill();
      await ended;
    },
  };
}
