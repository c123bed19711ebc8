/**
 * Passes every request to the object that serves it. The site of an event is in its body, so the body is read and parsed here, and the
 * site's object gets the result. That of a tool's call is, too, and its object gets the body as it is.
 */
import type { Connection } from "../../src/handlers/pipeline.ts";
import type { Config } from "../../src/runtime/base/config/config.ts";
import { type GeoPlace, geoPlaceFromRecord, isPrivateAddress } from "../../src/runtime/ingest/geo.ts";
import { type Network, networkFromRecord } from "../../src/runtime/ingest/network.ts";
import type { IncomingRequestProperties } from "./platform.ts";
import { BODY_BYTES_DISCARDED_MAX, BODY_BYTES_MAX } from "../../src/runtime/base/config/limits.ts";
import { SiteRouting, type FindSite, type SiteRequest } from "../../src/handlers/site-routing.ts";
import type { SiteId } from "../../src/storage/event.ts";
import type { RegistryStub, SiteStub } from "./objects.ts";

/** The platform sets it on every external request, and overwrites what a client sends. */
const ADDRESS_HEADER = "CF-Connecting-IP";

const placeIn = ({ country, region, city }: IncomingRequestProperties): GeoPlace =>
  geoPlaceFromRecord({ country_code: country, state1: region, city });

const networkIn = ({ asn, asOrganization }: IncomingRequestProperties): Network | null =>
  networkFromRecord({ autonomous_system_number: asn, autonomous_system_organization: asOrganization });

export function connectionOf(request: Request, { geoipDb }: Pick<Config, "geoipDb">): Connection {
  const socketAddress = request.headers.get(ADDRESS_HEADER) ?? "";
  const { cf } = request as { readonly cf?: IncomingRequestProperties };
  // A development machine invents what it reports, so a private address has no place and no network.
  const reported = cf && !isPrivateAddress(socketAddress) ? cf : null;
  return {
    socketAddress,
    socketPlace: reported === null || geoipDb === "none" ? null : placeIn(reported),
    socketNetwork: reported && networkIn(reported),
  };
}

/** A slower client gets its response, and its connection is closed. */
const WAIT_MS_MAX = 1000;

/**
 * Reads and discards the body of a request that was refused before its body was read. The platform closes a connection with an unread body,
 * and the client's next request on it fails.
 */
export async function drainBody(request: Request): Promise<void> {
  if (request.body !== null && !request.bodyUsed) await drainReader(request.body.getReader());
}

async function drainReader(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const deadline = setTimeout(() => void reader.cancel(), WAIT_MS_MAX);
  try {
    for (let left = BODY_BYTES_DISCARDED_MAX; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.length;
    }
  } catch {
    // The client has disconnected.
  } finally {
    clearTimeout(deadline);
  }
}

interface FrontOptions {
  readonly config: Config;
  readonly registry: () => Pick<RegistryStub, "fetch" | "answer" | "siteOfImport">;
  readonly site: (siteId: SiteId) => Pick<SiteStub, "fetch" | "answer">;
}

const decoder = new TextDecoder();

export class Front {
  readonly #options: FrontOptions;
  readonly #routing: SiteRouting;

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#routing = new SiteRouting(options.config);
  }

  async fetch(request: Request): Promise<Response> {
    const number = await this.#routing.importOf(request);
    if (number !== null) return this.#passImport(number, request);
    const found = await this.#routing.siteOf(request);
    if (typeof found === "function") return this.#passRead(found, request);
    return found === null ? this.#options.registry().fetch(request) : this.#ask(found, request);
  }

  /** The site's object has the import. The registry answers for one that it does not know. */
  async #passImport(number: number, request: Request): Promise<Response> {
    const registry = this.#options.registry();
    const siteId = await registry.siteOfImport(number);
    return siteId === null ? registry.fetch(request) : this.#options.site(siteId).fetch(request);
  }

  async #passRead(find: FindSite, request: Request): Promise<Response> {
    const registry = this.#options.registry();
    if (Number(request.headers.get("content-length")) > BODY_BYTES_MAX) return registry.fetch(request);
    const beganMs = Date.now();
    const body = await this.#bodyOf(request);
    if (body === null) return this.#refuseLate(request);
    const site = body.length > BODY_BYTES_MAX ? null : find(decoder.decode(body));
    if (site !== null && site.event !== null) return this.#ask(site, request, Date.now() - beganMs);
    const withBody = new Request(request, { method: request.method, body });
    return site === null ? registry.fetch(withBody) : this.#ask(site, withBody);
  }

  /** A site's object gets requests about statistics as they are, so that it learns when the client disconnects. */
  #ask({ siteId, event }: SiteRequest, request: Request, elapsedMs = 0): Promise<Response> {
    const site = this.#options.site(siteId);
    if (event === null) return site.fetch(request);
    const { url, method, headers } = request;
    return site.answer(new Request(url, { method, headers }), { ...this.#connectionOf(request), event, elapsedMs });
  }

  /** The pipeline has the response to a request that exceeds its time limit. */
  #refuseLate(request: Request): Promise<Response> {
    const { url, method, headers } = request;
    const connection = { ...this.#connectionOf(request), elapsedMs: this.#options.config.requestTimeoutSecs * 1000 };
    return this.#options.registry().answer(new Request(url, { method, headers }), connection);
  }

  #connectionOf = (request: Request): Connection => connectionOf(request, this.#options.config);

  /** null if the body takes too long. */
  async #bodyOf(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.#options.config.requestTimeoutSecs * 1000);
    });
    try {
      return await Promise.race([readBody(request), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A body that is cut short is handed on as far as it came: whatever the response is, nobody reads it. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (request.headers.has("content-length")) {
    return new Uint8Array(await request.arrayBuffer().catch(() => new ArrayBuffer(0)));
  }
  return request.body ? readUntilTooLarge(request.body.getReader()) : new Uint8Array();
}

/** One byte more than allowed is enough for a refusal. The rest is drained, so that the connection can be used again. */
async function readUntilTooLarge(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let bytes = 0; bytes <= BODY_BYTES_MAX;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || value === undefined) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    chunks.push(value as Uint8Array<ArrayBuffer>);
    bytes += value.length;
  }
  await drainReader(reader);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
