/** Everything that a handler gets in addition to the request. */
import type { Standing } from "../runtime/access/principal.ts";
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import type { EventInput } from "../runtime/ingest/event-input.ts";
import type { Services } from "../runtime/service/services.ts";
import type { Reader } from "../runtime/query/reader.ts";
import type { EpochMs } from "../storage/event.ts";
import type { Deadline } from "./deadline.ts";
import type { Reply } from "./reply.ts";
import type { ResponseStreams } from "./response-streams.ts";

export interface Context {
  readonly services: Services;
  /** When the request arrived, by the wall clock: for dates. */
  readonly nowMs: EpochMs;
  /** When the request arrived, by the monotonic clock: for durations. */
  readonly beganMs: number;
  /** The request's URL, parsed once. Its host is that of the `Host` header. */
  readonly url: URL;
  /** The peer address of the connection, regardless of proxy headers. Never logged, never stored. */
  readonly socketAddress: string;
  /** The location of that address, on hosts that know it for every connection. */
  readonly socketPlace: GeoPlace | null;
  /** The event in the request, if the host has parsed it already. */
  readonly event: EventInput | null;
  /** What the credentials of the request are worth; null on routes that need none. */
  readonly standing: Standing | null;
  /** For whom statistics are read. */
  readonly reader: Reader;
  readonly deadline: Deadline;
  /** For a body that is written while the client reads it. */
  readonly streams: ResponseStreams;
  readonly params: Readonly<Record<string, string>>;
}

/** What is needed to recognize the service's own host. */
export type HostContext = Pick<Context, "services" | "url">;

export type Handler = (request: Request, context: Context) => Reply | Promise<Reply>;
