/** What a handler is given beside the request. */
import type { GeoPlace } from "../runtime/ingest/geo.ts";
import type { Services } from "../runtime/services.ts";
import type { EpochMs } from "../storage/event.ts";
import type { Deadline } from "./deadline.ts";
import type { Reply } from "./reply.ts";
import type { ResponseStreams } from "./response-streams.ts";

export interface Context {
  readonly services: Services;
  /** When the request came. */
  readonly nowMs: EpochMs;
  /** The request's URL: its host is the one that the client named, and nobody else parses it. */
  readonly url: URL;
  /** The address of the connection, before any proxy header is looked at. Never logged, never stored. */
  readonly socketAddress: string;
  /** Where that address is, on a host that tells it of every connection. */
  readonly socketPlace: GeoPlace | null;
  readonly deadline: Deadline;
  /** Where a body is opened that is written while the client takes it. */
  readonly streams: ResponseStreams;
  readonly params: Readonly<Record<string, string>>;
}

/** What a request is compared with to tell its own host from others. */
export type HostContext = Pick<Context, "services" | "url">;

export type Handler = (request: Request, context: Context) => Reply | Promise<Reply>;
