/** Decides which Chromium the tests drive, and that it looks to a page like an ordinary visitor's and finds every host on this machine. */

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

export type BrowserOptions = {
  /** Leave `navigator.webdriver` true, as it is in a browser that a program drives. */
  readonly automated?: boolean;
};

export type UnattendedBrowser = { close(): Promise<void> };

/** What a visitor's Chromium calls itself; the headless one's own name is that of a bot. */
export const VISITOR_USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36";

/** Its brands in client hints, of which the headless one's are those of a bot as well. */
export const VISITOR_HINTS = { "sec-ch-ua": '"Chromium";v="147", "Not.A/Brand";v="8"' };

const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

/**
 * None of the flags the package recommends for its own purpose: they switch off web security, and with it the
 * cross-origin rules these tests are about.
 */
const FLAGS = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * 127.0.0.1", `--user-agent=${VISITOR_USER_AGENT}`];

const UNAUTOMATED = "--disable-blink-features=AutomationControlled";

/**
 * The browser unpacked, once for each version of the package. It is unpacked beside its place and moved there whole,
 * because several test files may start at once and the package takes any file of the right name for the finished one.
 */
const executablePath = async (): Promise<string> => {
  const manifest = await readFile(join(MODULES, "@sparticuz/chromium/package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const home = join(MODULES, ".cache", `chromium-${version}`);
  const executable = join(home, "chromium");
  if (existsSync(executable)) return executable;

  await mkdir(join(MODULES, ".cache"), { recursive: true });
  const staging = await mkdtemp(`${home}-`);
  try {
    const unpack = `import("@sparticuz/chromium").then((module) => module.default.executablePath())`;
    const env = { ...process.env, TMPDIR: staging };
    await promisify(execFile)(process.execPath, ["--eval", unpack], { cwd: MODULES, env });
    await rename(staging, home).catch((fault: unknown) => {
      // Another test file was faster; a directory is only ever moved there whole.
      if (!existsSync(executable)) throw fault;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return executable;
};

export const launchBrowser = async (options: BrowserOptions = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: await executablePath(),
    args: options.automated ? FLAGS : [...FLAGS, UNAUTOMATED],
  });

/**
 * A browser that opens one page and is left alone. Chromium does not prerender pages while it is driven, so those
 * pages act by themselves and tell the servers what they saw.
 */
export const launchUnattended = async (url: string): Promise<UnattendedBrowser> => {
  const executable = await executablePath();
  const profile = await mkdtemp(join(tmpdir(), "sandpiper-profile-"));
  const flags = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`, ...FLAGS, UNAUTOMATED];
  // A process group of its own, because each of its processes writes to the profile until it is ended.
  const child = spawn(executable, [...flags, url], { stdio: "ignore", detached: true });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  return {
    async close() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
