/** What the program does by itself once it has started. */
import { expect, it, onTestFinished } from "vitest";
import { createFileObjectStore } from "../../adapters/node/file-object-store.ts";
import { startServer } from "../support/server-process.ts";
import { storeDay } from "../support/stored-days.ts";
import { siteId } from "../support/stored-event.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

const DAY_MS = 86_400_000;

it("loads days that are on disk before anybody asks", async () => {
  const dataFolder = await makeTempFolder();
  onTestFinished(() => removeFolder(dataFolder));
  const objects = createFileObjectStore(dataFolder, { isOurs: true });
  // Neither today nor yesterday, so that midnight may pass.
  for (const back of [2, 3, 4]) await storeDay(objects, siteId("kept.test"), Date.now() - back * DAY_MS);
  const server = await startServer({ dataFolder, environment: { SVC_LOG_LEVEL: "debug" } });
  onTestFinished(async () => void (await server.stop()));
  await server.logged(/what dashboards show first is loaded.*days=3/);
  expect(await (await fetch(`${server.origin}/metrics`)).text()).toMatch(/^svc_resident_days 3$/m);
});
