/** What several groups of services are made of. */
import type { EventStore } from "../../storage/event-store.ts";
import type { EventCatalog } from "../clickhouse/clickhouse-catalog.ts";
import type { Counters } from "../base/metrics/counters.ts";
import type { LeftOutFiles } from "../base/metrics/storage-faults.ts";
import type { Sites } from "../sites/sites.ts";
import type { Host } from "./host.ts";

/** Dependencies of several groups of services. */
export interface Dependencies {
  readonly host: Host;
  readonly counters: Counters;
  readonly leftOutFiles: LeftOutFiles;
  readonly eventStore: EventStore;
  readonly catalog: EventCatalog;
  readonly sites: Sites;
}
