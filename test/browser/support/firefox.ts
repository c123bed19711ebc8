/** Decides which Firefox the tests drive, if the machine has one, and that it asks nothing of the network: it does not come as an npm package. */

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, firefox } from "playwright-core";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";

const NAMES = ["firefox-esr", "firefox"];

/** Where the machine has it; null where it has none. */
export const FIREFOX_PATH: string | null =
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path)) ?? null;

const PREFERENCES = {
  // Every host is this machine, so nothing that it does by itself gets anywhere.
  "network.dns.forceResolve": "127.0.0.1",
  "network.captive-portal-service.enabled": false,
  // Pages have no HTTPS: an attempt to reach them by it would end in a second navigation.
  "dom.security.https_first": false,
  "dom.security.https_first_pbm": false,
  "app.update.enabled": false,
  "toolkit.telemetry.enabled": false,
  "browser.chrome.site_icons": false,
  // A tab in the background is one, as it is for a visitor.
  "layout.testing.top-level-always-active": false,
  // Pages that are left stay there to go back to, however many other tabs have left pages, too.
  "browser.sessionhistory.max_total_viewers": 100,
  // Few processes that serve all sites, few pictures and none that move: these take more time than the tests.
  "fission.autostart": false,
  "dom.ipc.processCount": 2,
  "dom.ipc.processPrelaunch.enabled": false,
  "layout.frame_rate": 10,
  "ui.prefersReducedMotion": 1,
};

/** The machine's own Firefox by WebDriver BiDi, with a fresh profile and a home folder that goes with it. */
export const launchFirefox = async (): Promise<Browser> => {
  if (FIREFOX_PATH === null) throw new Error("there is no Firefox on this machine");
  const home = await makeTempFolder();
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath: FIREFOX_PATH,
    env: { ...process.env, HOME: home },
    firefoxUserPrefs: PREFERENCES,
  });
  const close = browser.close.bind(browser);
  browser.close = async () => {
    await close();
    await removeFolder(home);
  };
  return browser;
};
