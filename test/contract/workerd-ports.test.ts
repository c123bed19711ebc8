/** The workerd adapters against the contracts of their ports: the object's database, the bucket, DuckDB in the isolate, and pages. */
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { READS_MAX } from "../../adapters/workerd/page-fetch.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { portsOf, type RemotePorts } from "../support/workerd-ports.ts";
import { startWorkerd, type WorkerdRuntime } from "../support/workerd/runtime.ts";
import { describeEngine } from "./engine.suite.ts";
import { describeObjectStore } from "./object-store.suite.ts";
import { describePageFetch } from "./page-fetch.suite.ts";
import { describeRecordStore } from "./record-store.suite.ts";
import { describeSecretStore } from "./secret-store.suite.ts";
import { describeSegmentLog } from "./segment-log.suite.ts";

let runtime: WorkerdRuntime;
beforeAll(async () => {
  runtime = await startWorkerd({ script: "test-worker.js", classNames: { ANALYTICS: "PortObject", SITES: "TestSite" } });
});
afterAll(() => runtime.close());

let objectsMade = 0;

/** Those of an object that no other test uses. */
const freshPorts = (): RemotePorts => portsOf(runtime, `object-${++objectsMade}`);

describeSegmentLog("in a Durable Object", async () => {
  const { segmentLog, reopen } = freshPorts();
  return { log: segmentLog, reopen: async () => (await reopen(), segmentLog) };
});

describeRecordStore("in a Durable Object", async () => {
  const { records, reopen } = freshPorts();
  return { store: records, reopen: async () => (await reopen(), records) };
});

describeSecretStore("in a Durable Object", async () => {
  const { records, reopen } = freshPorts();
  const store = createRecordSecretStore(records);
  return { store, reopen: async () => (await reopen(), store) };
});

describeObjectStore("in R2", async () => freshPorts().objects);

describeEngine("DuckDB in workerd", async () => freshPorts().engine);

describePageFetch("workerd", (url, timeoutMs) => freshPorts().fetchPage(url, timeoutMs));

it("page fetch: workerd reads very small chunks in part, because events wait for each read", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(3 * READS_MAX)}0\r\n\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { html } = await freshPorts().fetchPage(new URL(`http://127.0.0.1:${port}/`), 60_000);
  expect(html).toBe("a".repeat(READS_MAX));
});
