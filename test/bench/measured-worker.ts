/** The Worker of `dashboard-workerd.mjs`: the product's objects, of which that of a site also tells what it read from its bucket and what WebAssembly takes. */
import "../../adapters/workerd/globals.ts";
import { siteIn, type ObjectEnvironment } from "../../adapters/workerd/objects.ts";
import type { DurableObjectState, R2Bucket } from "../../adapters/workerd/platform.ts";
import { SiteObject } from "../../adapters/workerd/site-object.ts";
import product from "../../adapters/workerd/worker.ts";
import type { SiteId } from "../../src/storage/event.ts";

export { AnalyticsObject } from "../../adapters/workerd/worker.ts";

/** What was read since the last time that it was asked for. */
const reads = { gets: 0, bytes: 0, lists: 0 };

/** Of the query engine, the only WebAssembly that a dashboard may need. */
const memories: WebAssembly.Memory[] = [];

WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
  construct(Memory, [descriptor]: [WebAssembly.MemoryDescriptor]) {
    const memory = new Memory(descriptor);
    memories.push(memory);
    return memory;
  },
});

const countReads = (bucket: R2Bucket): R2Bucket => ({
  async get(key) {
    const object = await bucket.get(key);
    reads.gets++;
    reads.bytes += object?.size ?? 0;
    return object;
  },
  list(options) {
    reads.lists++;
    return bucket.list(options);
  },
  put: (key, value) => bucket.put(key, value),
  delete: (key) => bucket.delete(key),
});

export class MeasuredSite extends SiteObject {
  constructor(state: DurableObjectState, environment: ObjectEnvironment) {
    super(state, { ...environment, PARTITIONS: countReads(environment.PARTITIONS) });
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/measured/reads") {
      const counted = { ...reads, wasmBytes: memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) };
      Object.assign(reads, { gets: 0, bytes: 0, lists: 0 });
      return Response.json(counted);
    }
    if (pathname === "/measured/alarm") {
      await this.alarm();
      return new Response();
    }
    return super.fetch(request);
  }
}

export default {
  /** What is measured is asked of the object of the site in the query. */
  fetch(request: Request, environment: ObjectEnvironment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.startsWith("/measured/")) return product.fetch(request, environment);
    return siteIn(environment, searchParams.get("site_id") as SiteId).fetch(request);
  },
};
