/** What differs between hosts: storage, clocks and abilities of the process. Each adapter provides one. */
import type { EpochMs } from "../storage/event.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { ParquetWriter } from "../storage/parquet-writer.ts";
import type { RecordStore } from "../storage/record-store.ts";
import type { SecretStore } from "../storage/secret-store.ts";
import type { SegmentLog } from "../storage/segment-log.ts";
import type { Asset, Assets } from "./assets.ts";
import type { PasswordHasher } from "./auth/password-hasher.ts";
import type { Config } from "./config/config.ts";
import type { Engine } from "./engine/engine.ts";
import type { GeoLookup } from "./ingest/geo.ts";
import type { Log } from "./metrics/log.ts";

export interface ProcessUsage {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly cpuSecs: number;
}

export interface Host {
  readonly config: Config;
  /** Where the generated secret of visitor ids is stored, which is there unless the `secret` option is set. */
  readonly secrets: SecretStore;
  readonly objects: ObjectStore;
  /** Where the admin password's hash and the API keys are kept. */
  readonly records: RecordStore;
  readonly passwordHasher: PasswordHasher;
  readonly parquet: ParquetWriter;
  readonly segmentLog: SegmentLog;
  readonly engine: Engine;
  readonly geo: GeoLookup;
  /** Whether there is a database behind `geo`. */
  readonly geoIsLoaded: boolean;
  readonly log: Log;
  /** The wall clock: for dates and timestamps. */
  readonly now: () => EpochMs;
  /** Monotonic milliseconds: for durations. */
  readonly monotonicMs: () => number;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** A fresh id for a request, unlike any other of this process. */
  readonly newRequestId: () => string;
  readonly trackerScript: Asset;
  /** The dashboard's files. */
  readonly assets: Assets;
  /** Of the program. */
  readonly version: string;
  /** What the process uses now. Hosts that cannot tell have none. */
  readonly processUsage?: () => ProcessUsage;
  /** Bytes of journal lines that may wait for a flush: they lie in memory. */
  readonly unflushedBytesMax: number;
  /** Resolves after that time: for the few waits that cannot go by the tick. */
  readonly wait: (ms: number) => Promise<void>;
}
