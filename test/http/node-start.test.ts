/** Startup of the program, and its error when it cannot listen. */
import { expect, it, onTestFinished } from "vitest";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { spawnServer, startServer } from "../support/server-process.ts";
import { storeDay } from "../support/stored-days.ts";
import { siteId } from "../support/stored-event.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

const DAY_MS = 86_400_000;

it("the program loads stored days at startup, before any query", async () => {
  const dataFolder = await makeTempFolder();
  onTestFinished(() => removeFolder(dataFolder));
  const objects = createFileObjectStore(dataFolder, { isOurs: true });
  // Neither today nor yesterday, so that midnight may pass.
  for (const back of [2, 3, 4]) await storeDay(objects, siteId("kept.test"), Date.now() - back * DAY_MS);
  const server = await startServer({ dataFolder, environment: { SVC_LOG_LEVEL: "debug" } });
  onTestFinished(async () => void (await server.stop()));
  await server.logged(/cache warming finished.*days=3/);
  expect(await (await fetch(`${server.origin}/metrics`)).text()).toMatch(/^svc_cached_partitions 3$/m);
});

it.each([
  // An address for documentation, which no machine has.
  [
    "SVC_HOST",
    "203.0.113.7",
    /cannot listen on port 0 of 203\.0\.113\.7 \(port, host\): .*EADDRNOTAVAIL.*\. Set host to an address of this machine/,
  ],
  ["SVC_GEOIP_DB", "/nowhere/city.mmdb", /geoip_db: cannot read the geo database \/nowhere\/city\.mmdb: ENOENT/],
])(
  "a start with an unusable %s says what is wrong and ends with exit code 2, after which a service is not started again",
  async (option, value, problem) => {
    const dataFolder = await makeTempFolder();
    onTestFinished(() => removeFolder(dataFolder));
    const server = spawnServer({ dataFolder, environment: { SVC_GEOIP_DB: "none", [option]: value } });
    expect(await server.exited).toEqual({ code: 2, signal: null });
    const [first, second, ...others] = server.log().trim().split("\n");
    expect([first, others]).toEqual(["sandpiper cannot start: The configuration has a problem:", []]);
    expect(second).toMatch(problem);
  },
);
