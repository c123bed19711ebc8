/** What a handler is given beside the request. */
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import type { Services } from "../runtime/services.ts";
import type { EpochMs } from "../storage/event.ts";
import type { Deadline } from "./deadline.ts";
import type { Reply } from "./reply.ts";
import type { ResponseStreams } from "./response-streams.ts";

export interface Context {
  readonly services: Services;
  /** When the request came, by the wall clock: for dates. */
  readonly nowMs: EpochMs;
  /** When the request came, by the monotonic clock: for durations. */
  readonly beganMs: number;
  /** The request's URL, parsed once. Its host is the one that the client named. */
  readonly url: URL;
  /** The address of the connection, before any proxy header is looked at. Never logged, never stored. */
  readonly socketAddress: string;
  /** The place of that address, on a host that knows it for every connection. */
  readonly socketPlace: GeoPlace | null;
  readonly deadline: Deadline;
  /** For a body that is written while the client reads it. */
  readonly streams: ResponseStreams;
  readonly params: Readonly<Record<string, string>>;
}

/** What tells the service's own host from others. */
export type HostContext = Pick<Context, "services" | "url">;

export type Handler = (request: Request, context: Context) => Reply | Promise<Reply>;
