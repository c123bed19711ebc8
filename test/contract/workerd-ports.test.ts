/** The workerd adapters against the contracts of their ports: the object's database, the bucket, and DuckDB in the isolate. */
import { afterAll, beforeAll } from "vitest";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { portsOf, type RemotePorts } from "../support/workerd-ports.ts";
import { startWorkerd, type WorkerdRuntime } from "../support/workerd/runtime.ts";
import { describeEngine } from "./engine.suite.ts";
import { describeObjectStore } from "./object-store.suite.ts";
import { describeRecordStore } from "./record-store.suite.ts";
import { describeSecretStore } from "./secret-store.suite.ts";
import { describeSegmentLog } from "./segment-log.suite.ts";

let runtime: WorkerdRuntime;
beforeAll(async () => {
  runtime = await startWorkerd({ script: "test-worker.js", className: "PortObject" });
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
