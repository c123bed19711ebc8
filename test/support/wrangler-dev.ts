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

export interface WranglerDev {
  readonly origin: string;
  /** Its output. */
  log(): string;
  /** Sends SIGINT, as Ctrl-C does. */
  stop(): Promise<void>;
}

/** `folder` receives the data and everything else that wrangler writes except the build. */
export async function startWranglerDev(folder: string, variables: Readonly<Record<string, string>>): Promise<WranglerDev> {
  const vars = Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const child = spawn(
    process.execPath,
    [WRANGLER, "dev", "--ip", "127.0.0.1", "--port", "0", "--persist-to", join(folder, "state"), ...vars],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        CI: "true",
        NO_COLOR: "1",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_LOG_PATH: join(folder, "logs"),
        XDG_CONFIG_HOME: join(folder, "config"),
      },
    },
  );
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
    origin,
    log: () => printed,
    async stop() {
      const giveUp = setTimeout(kill, STOP_MS_MAX);
      child.kill("SIGINT");
      await ended;
      clearTimeout(giveUp);
    },
  };
}
