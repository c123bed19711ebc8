/** Clients that do not read responses, on every host. A signal moves the monotonic clock of the built program. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { PIPELINED_REQUESTS_MAX, RESPONSE_STALL_MS } from "../../src/runtime/base/config/limits.ts";
import { inProcessTargets } from "../support/in-process-target.ts";
import { connectRaw } from "../support/raw-connection.ts";
import { startServer } from "../support/server-process.ts";
import { TARGET_DEFAULTS, type Target } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { workerdTargets } from "../support/workerd-target.ts";
import { describeUnreadExports, recordForExport, UNREAD_EVENTS, UNREAD_EXPORT } from "./unread-exports.suite.ts";

const workerd = workerdTargets();
afterAll(() => workerd.closeAll());

describe("in-process", () => describeUnreadExports(inProcessTargets()));
describe("workerd", () => describeUnreadExports(workerd));

async function startProgram() {
  const server = await startServer({
    dataFolder: await tempFolder(),
    environment: { ...TARGET_DEFAULTS, SVC_REQUEST_TIMEOUT_SECS: "600" },
    leapMs: RESPONSE_STALL_MS,
  });
  onTestFinished(async () => void (await server.stop()));
  const target: Target = {
    name: "node",
    fetch: (path, init = {}) => fetch(new URL(path, server.origin), init),
    nowMs: Date.now,
    close: async () => {},
  };
  return { server, target };
}

interface UnreadAnswer {
  readonly socket: Socket;
  /** What came until it was clear what the answer is; nothing is taken after that. */
  readonly head: string;
}

async function askAndNotRead(origin: string, path: string, times = 1): Promise<UnreadAnswer> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {
    // The close that follows tells whoever waits.
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(times));
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return { socket, head: data.toString("latin1") };
}

const statusOf = ({ head }: UnreadAnswer): string => head.slice(9, 12);

describe("the built program", () => {
  it("of twelve unread exports ten get slots and two are refused; the ten are aborted when they stall, and their slots are free", async () => {
    const { server, target } = await startProgram();
    await recordForExport(target);
    const answers: UnreadAnswer[] = [];
    for (let i = 0; i < 12; i++) answers.push(await askAndNotRead(server.origin, UNREAD_EXPORT));
    expect(answers.map(statusOf).join(" ")).toBe(`${"200 ".repeat(10)}429 429`);
    expect(answers.at(-1)?.head).toMatch(/\r\nRetry-After: 1\r\n/i);
    // Some may have moved until now: they stand still at the next look.
    const statuses = async () => {
      server.leap();
      return (await Promise.all(Array.from({ length: 10 }, () => target.fetch(UNREAD_EXPORT, { method: "HEAD" }))))
        .map(({ status }) => status)
        .join(" ");
    };
    await expect.poll(statuses, { interval: 1_500 }).toBe("200 ".repeat(10).trim());
    const whole = await (await target.fetch(UNREAD_EXPORT)).text();
    expect(whole.split("\n")).toHaveLength(UNREAD_EVENTS + 2);
    // A socket that is not read does not tell of its end until it is.
    for (const { socket } of answers.slice(0, 10)) {
      const closed = once(socket, "close");
      socket.resume();
      await closed;
      expect(socket.bytesRead).toBeLessThan(whole.length);
    }
    expect(server.log()).not.toMatch(/uncaught|could not/i);
  });

  it("a connection whose client reads none of many responses is closed, and an idle one stays open", async () => {
    const { server } = await startProgram();
    const idle = connectRaw(server.origin);
    onTestFinished(() => idle.destroy());
    idle.write("GET /health HTTP/1.1\nHost: stats.test\n\n");
    await idle.until(/ok$/);
    const unread = await askAndNotRead(server.origin, "/api/openapi.json", PIPELINED_REQUESTS_MAX);
    let isClosed = false;
    unread.socket.once("close", () => (isClosed = true));
    const look = () => {
      server.leap();
      // To read would set it going again; to write tells of a connection that is gone.
      unread.socket.write("GET /health HTTP/1.1\r\nHost: stats.test\r\n\r\n");
      return isClosed;
    };
    await expect.poll(look, { interval: 1_500 }).toBe(true);
    idle.write("GET /health HTTP/1.1\nHost: stats.test\nConnection: close\n\n");
    expect((await idle.closed()).match(/200 OK/g)).toHaveLength(2);
  });
});
