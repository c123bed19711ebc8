/** Startup of the program, and its error when it cannot listen. */
import { expect, it, onTestFinished } from "vitest";
import { spawnServer } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

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
