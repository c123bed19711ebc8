/** A stop in order: what was asked is answered, what was accepted is kept, and no client can hold it up for long. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { EventLoad } from "./event-load.ts";
import { readStoredEvents } from "./stored-events.ts";

const SITES = 3;

const newLoad = (): EventLoad =>
  new EventLoad((count) => ({ siteId: `site-${count % SITES}.test`, pathname: `/e/${count}` }));

const portOf = ({ origin }: ServerProcess): number => Number(new URL(origin).port);

async function socketTo(server: ServerProcess): Promise<Socket> {
  const socket = connect(portOf(server), "127.0.0.1");
  socket.on("error", () => {
    // The server may cut it: that is what these tests are about.
  });
  await once(socket, "connect");
  return socket;
}

const headOf = (contentLength: number): string =>
  `POST /api/event HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Mozilla/5.0\r\nContent-Length: ${contentLength}\r\n\r\n`;

const BODY = JSON.stringify({ d: "a.test", n: "pageview", u: "/late" });

/** All that comes until the server closes the connection. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  if (!socket.destroyed) await once(socket, "close");
  return text;
}

async function msFor(work: Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work;
  return performance.now() - startMs;
}

describe.concurrent("a stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("%s under load: all that was answered 202 is in files, and the exit code is 0", async (signal) => {
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder, environment: { SVC_FLUSH_EVENT_COUNT: "100" } });
    const load = newLoad();
    const enough = load.acknowledgedMore(1000);
    const posting = load.start(server.origin);
    await enough;
    // Well before the time after which clients are cut off.
    const ms = await msFor(server.stop(signal).then((code) => expect(code).toBe(0)));
    expect(ms).toBeLessThan(5000);
    await posting.ended;
    expect(load.refusals).toEqual([]);

    const { pages } = await readStoredEvents(dataFolder);
    expect([...pages.values()].every((events) => events === 1)).toBe(true);
    const lost = load.acknowledged.filter(({ siteId, pathname }) => !pages.has(`${siteId}${pathname}`));
    expect(lost).toEqual([]);
    expect(server.log()).not.toMatch(/ ERROR /);
  });
});
