/** A stop of a busy program ends before it is killed and loses no event: what it does not flush in that time stays in the journal. */
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { STOP_MS_MAX } from "../../src/runtime/base/config/limits.ts";
import { encodeJournalLines } from "../../src/storage/journal.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { anEvent, eventTexts, siteId } from "../support/stored-event.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { readStoredEvents } from "./stored-events.ts";

const SITE = siteId("busy.test");
const SEGMENT_EVENTS = 50_000;
const TEST_MS_MAX = 120_000;

/** Docker kills a container after this time. The program's own limit, of which it uses nearly all here, is half of that on an idle machine. */
const KILLED_AFTER_MS = 2 * STOP_MS_MAX;

const ENVIRONMENT = { SVC_CACHE_TTL_SECS: "0", SVC_FLUSH_INTERVAL_SECS: "86400", SVC_REQUEST_TIMEOUT_SECS: "600" };

const pageOf = (number: number): string => `/page/${number}`;

/** A folder with a journal of so many events, each with a page of its own. */
async function folderWithJournal(events: number): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, "journal"));
  const timestampMs = Date.now();
  for (let first = 0; first < events; first += SEGMENT_EVENTS) {
    const numbers = Array.from({ length: SEGMENT_EVENTS }, (_, i) => first + i);
    const ofSegment = numbers.map((number) =>
      anEvent({ siteId: SITE, timestampMs, visitorId: BigInt(number % 999), pathname: pageOf(number) }),
    );
    await writeFile(join(folder, "journal", `${1 + first / SEGMENT_EVENTS}.journal`), encodeJournalLines(eventTexts(ofSegment)));
  }
  return folder;
}

async function startOn(dataFolder: string): Promise<ServerProcess> {
  const server = await startServer({ dataFolder, environment: ENVIRONMENT });
  onTestFinished(() => server.kill9());
  return server;
}

async function expectStopInTime(server: ServerProcess): Promise<void> {
  const startMs = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startMs).toBeLessThan(KILLED_AFTER_MS);
  expect(server.log()).not.toMatch(/ ERROR /);
}

async function expectEachEventOnce(folder: string, events: number): Promise<void> {
  const { pages } = await readStoredEvents(folder);
  expect(pages.size).toBe(events);
  expect([...pages].filter(([, count]) => count !== 1)).toEqual([]);
}

async function connectTo(origin: string): Promise<Socket> {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {
    // The program resets the connection.
  });
  await once(socket, "connect");
  return socket;
}

/** Reads the first bytes of an export of all events, which is far longer than the buffers of the connection. */
async function beginExport(origin: string): Promise<void> {
  const socket = await connectTo(origin);
  socket.write(`GET /api/stats/export?site_id=${SITE}&kind=raw HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [data] = (await once(socket, "data")) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 200 /);
  socket.pause();
}

/** A client that sends a new query as soon as it has a response, until the server is gone. */
async function keepAsking(origin: string, client: number): Promise<void> {
  try {
    for (let minutes = 1; ; minutes++) {
      const query = new URLSearchParams({
        site_id: SITE,
        steps: "page:/page/*,page:/page/*9*",
        window: `${client * 10_000 + minutes} minutes`,
      });
      const response = await fetch(`${origin}/api/stats/funnel?${query}`);
      await response.text();
    }
  } catch {
    // The server is gone.
  }
}

it(
  "a stop ends in time, and every event is stored once, whatever clients send, ask for and leave unread",
  async () => {
    const events = 2 * SEGMENT_EVENTS;
    const folder = await folderWithJournal(events);
    const server = await startOn(folder);
    await beginExport(server.origin);
    const asking = [1, 2, 3, 4, 5, 6].map((client) => keepAsking(server.origin, client));
    (await connectTo(server.origin)).write("POST /api/event HTTP/1.1\r\nHost: half.test\r\nContent-Le");
    (await connectTo(server.origin)).write("POST /api/event HTTP/1.1\r\nHost: half.test\r\nContent-Length: 100\r\n\r\n{");
    // Until the server has read these.
    expect((await fetch(`${server.origin}/health`)).status).toBe(200);
    await expectStopInTime(server);
    await Promise.all(asking);
    await expectEachEventOnce(folder, events);
  },
  TEST_MS_MAX,
);

it(
  "a stop ends in time, and every event is stored once, when the journal is too large to be flushed in that time",
  async () => {
    const events = 6 * SEGMENT_EVENTS;
    const folder = await folderWithJournal(events);
    const server = await startOn(folder);
    await expectStopInTime(server);
    await expectEachEventOnce(folder, events);
  },
  TEST_MS_MAX,
);
