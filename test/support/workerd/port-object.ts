/** A Durable Object that exposes its ports, so that their contract suites can run against them. */
import { createDuckdbEngine } from "../../../adapters/workerd/duckdb-instance.ts";
import mainModule from "../../../adapters/workerd/duckdb-eh.wasm";
import { OnDemandEngine } from "../../../src/runtime/duckdb/on-demand-engine.ts";
import { createPageFetch } from "../../../adapters/workerd/page-fetch.ts";
import type { DurableObjectState, R2Bucket } from "../../../adapters/workerd/platform.ts";
import { createR2ObjectStore, openSqlRecordStore, openSqlSegmentLog } from "../../../adapters/workerd/stores.ts";
import { installationCheckAgent } from "../../../src/runtime/base/config/names.ts";
import { CONTROL_HEADER, type Control } from "./control.ts";
import { decode, encode, type PortCall, type PortMessage, type PortName, type PortReply } from "./port-wire.ts";
import { bucketOf } from "./tenant-bucket.ts";

type Method = (...args: unknown[]) => Promise<unknown>;

const MEMORY_LIMIT_MB = 1024;

export class PortObject {
  readonly #state: DurableObjectState;
  readonly #bucket: R2Bucket;
  readonly #underWay = new Map<number, AbortController>();
  /** A cancellation may arrive before its call: each has its own connection. */
  readonly #cancelledEarly = new Set<number>();
  #ports: Record<PortName, unknown> | null = null;

  constructor(state: DurableObjectState, { PARTITIONS }: { readonly PARTITIONS: R2Bucket }) {
    this.#state = state;
    this.#bucket = PARTITIONS;
  }

  #open(tenant: string): Record<PortName, unknown> {
    const { storage } = this.#state;
    const objects = createR2ObjectStore(bucketOf(this.#bucket, tenant));
    return {
      objects,
      segmentLog: openSqlSegmentLog(storage, objects),
      records: openSqlRecordStore(storage),
      pages: { fetchPage: (url: string, timeoutMs: number) => createPageFetch(installationCheckAgent("1"))(new URL(url), timeoutMs) },
      engine: new OnDemandEngine(() => createDuckdbEngine({ mainModule, memoryLimitMb: MEMORY_LIMIT_MB })),
    };
  }

  async fetch(request: Request): Promise<Response> {
    const { call, tenant } = JSON.parse(request.headers.get(CONTROL_HEADER) ?? "") as Control;
    if (call === "abort") this.#state.abort("the test ends this object");
    this.#ports ??= this.#open(tenant);
    const message = decode(await request.text()) as PortMessage;
    return new Response(encode(await this.#reply(message, this.#ports)));
  }

  async #reply(message: PortMessage, ports: Record<PortName, unknown>): Promise<PortReply> {
    if ("cancel" in message) {
      const running = this.#underWay.get(message.cancel);
      if (running) running.abort();
      else this.#cancelledEarly.add(message.cancel);
      return { result: null };
    }
    try {
      return { result: (await this.#call(message, ports)) ?? null };
    } catch (error) {
      const { name, message: text } = error as Error;
      return { error: { name, message: text } };
    } finally {
      this.#underWay.delete(message.id);
    }
  }

  #call({ port, method, args, id }: PortCall, ports: Record<PortName, unknown>): Promise<unknown> {
    const target = ports[port] as Record<string, Method>;
    const controller = new AbortController();
    this.#underWay.set(id, controller);
    if (this.#cancelledEarly.delete(id)) controller.abort(new DOMException("cancelled", "AbortError"));
    const signals = method.startsWith("query") || method.startsWith("store") ? [controller.signal] : [];
    const found = target[method];
    if (!found) throw new Error(`${port} has no ${method}`);
    return found.call(target, ...args, ...signals);
  }
}
