/** Graceful shutdown: requests in flight are answered, accepted events are kept, and no client can delay it. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { STOP_MS_MAX, STOP_RESPONSES_MS } from "../../src/runtime/base/config/limits.ts";
import { startServer } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { EventLoad } from "./event-load.ts";
import { readStoredEvents } from "./stored-events.ts";

const SITES = 3;

/** A shutdown within this time has not waited for a client until it gave up. */
const PROMPT_STOP_MS_MAX = STOP_RESPONSES_MS;

const newLoad = (): EventLoad => new EventLoad((count) => ({ siteId: `site-${count % SITES}.test`, pathname: `/e/${count}` }));

/** A connection, and all that comes over it until the server ends it. */
async function connectTo(origin: string): Promise<{ socket: Socket; answers: Promise<string> }> {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.on("error", () => {
    // Being cut off is what some of these tests are about.
  });
  const answers = once(socket, "close").then(() => text);
  await once(socket, "connect");
  return { socket, answers };
}

const EVENT = JSON.stringify({ d: "slow.test", n: "pageview", u: "/slow" });
const HEAD = `POST /api/event HTTP/1.1\r\nHost: slow.test\r\nUser-Agent: ${CHROME_WINDOWS}\r\nContent-Length: ${EVENT.length}\r\n\r\n`;
const HALF = Math.floor(EVENT.length / 2);

const HEALTH = "GET /health HTTP/1.1\r\nHost: slow.test\r\n\r\n";

async function msOf(work: Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work;
  return performance.now() - startMs;
}

/** Runs a test in a folder of its own; tests that run side by side cannot leave that to the runner's hooks. */
const inFolder = (run: (dataFolder: string) => Promise<void>) => async () => {
  const dataFolder = await makeTempFolder();
  try {
    await run(dataFolder);
  } finally {
    await removeFolder(dataFolder);
  }
};

describe.concurrent("a shutdown", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(
      `a stop by ${signal} under load stores every acknowledged event in files exactly once, closes the connections and exits with 0`,
      inFolder(async (dataFolder) => {
        const server = await startServer({ dataFolder, environment: { SVC_FLUSH_EVENT_COUNT: "100" } });
        const load = newLoad();
        const enough = load.acknowledgedMore(1000);
        const posting = load.start(server.origin);
        await enough;
        const stopMs = await msOf(server.stop(signal).then((code) => expect(code).toBe(0)));
        expect(stopMs).toBeLessThan(STOP_MS_MAX);
        await posting.ended;
        expect(load.refusals).toEqual([]);
        expect(server.log()).not.toMatch(/ ERROR /);
        expect(server.log()).toMatch(new RegExp(` INFO  ${signal}: stopping\\n.* INFO  stopped\\n$`));

        const { pages, inJournalOnly } = await readStoredEvents(dataFolder);
        expect(inJournalOnly).toBe(0);
        const sent = load.acknowledged.map(({ siteId, pathname }) => `${siteId}${pathname}`);
        expect(sent.filter((page) => pages.get(page) !== 1)).toEqual([]);
        expect([...pages].filter(([, events]) => events !== 1)).toEqual([]);
      }),
    );
  }

  it(
    "a stop of npm also shuts down the program that npm started",
    inFolder(async (dataFolder) => {
      const environment = { PATH: process.env["PATH"] ?? "", HOME: dataFolder };
      const npm = await startServer({ dataFolder, environment, command: ["npm", "start"] });
      expect((await fetch(`${npm.origin}/health`)).status).toBe(200);
      // npm ends with its shell. The program has the same output, so this waits for the end of both.
      await npm.stop();
      expect(npm.log()).toMatch(/(SIGTERM|npm ended): stopping/);
      await expect(fetch(`${npm.origin}/health`)).rejects.toThrow("fetch failed");
    }),
  );

  it(
    "a stop answers a request in flight and keeps its event",
    inFolder(async (dataFolder) => {
      const server = await startServer({ dataFolder });
      const { socket, answers } = await connectTo(server.origin);
      // The first answer shows that the second request's beginning is read, too, or soon will be.
      socket.write(HEALTH + HEAD + EVENT.slice(0, HALF));
      await once(socket, "data");
      const stopped = server.stop();
      await server.logged(/SIGTERM: stopping/);
      socket.write(EVENT.slice(HALF));
      expect(await stopped).toBe(0);
      expect(await answers).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 202 [^]*\nConnection: close\r\n/);
      expect((await readStoredEvents(dataFolder)).pages).toEqual(new Map([["slow.test/slow", 1]]));
    }),
  );

  it(
    "a stop is not delayed by idle connections, used or unused",
    inFolder(async (dataFolder) => {
      const server = await startServer({ dataFolder });
      const unused = await connectTo(server.origin);
      const idle = await connectTo(server.origin);
      idle.socket.write(HEALTH);
      await once(idle.socket, "data");
      const stopMs = await msOf(server.stop().then((code) => expect(code).toBe(0)));
      expect(stopMs).toBeLessThan(PROMPT_STOP_MS_MAX);
      expect(await unused.answers).toBe("");
      expect(await idle.answers).toMatch(/^HTTP\/1\.1 200 /);
    }),
  );

  it(
    "a stop disconnects a client with an unfinished request within seconds",
    inFolder(async (dataFolder) => {
      const server = await startServer({ dataFolder });
      const hanging = await connectTo(server.origin);
      hanging.socket.write(HEALTH + HEAD + EVENT.slice(0, HALF));
      await once(hanging.socket, "data");
      const stopMs = await msOf(server.stop().then((code) => expect(code).toBe(0)));
      expect(stopMs).toBeLessThan(PROMPT_STOP_MS_MAX);
      expect(await hanging.answers).not.toContain("HTTP/1.1 202");
    }),
  );

  it(
    "a stop ends at once on a second signal, and the journal keeps the accepted events",
    inFolder(async (dataFolder) => {
      const server = await startServer({ dataFolder });
      const hanging = await connectTo(server.origin);
      hanging.socket.write(HEAD + EVENT + HEAD);
      await once(hanging.socket, "data");
      const stopped = server.stop();
      await server.logged(/SIGTERM: stopping/);
      // One right after the first would count as the same.
      const repeated = setInterval(() => void server.stop(), 50);
      expect(await stopped.finally(() => clearInterval(repeated))).toBe(1);
      expect(await readStoredEvents(dataFolder)).toEqual({ pages: new Map([["slow.test/slow", 1]]), inJournalOnly: 1 });
    }),
  );
});
