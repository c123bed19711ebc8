/** The messages between the main thread and the engine thread, after the first one: the engine's compiled module. */
import type { Columns } from "../../../src/storage/columns.ts";
import type { SiteId } from "../../../src/storage/event.ts";
import type {
  Block,
  BlockSource,
  EngineQuery,
  EngineUsage,
  Loaded,
  StoredPartial,
  PartialTable,
} from "../../../src/runtime/duckdb/engine.ts";
import type { SqlRow } from "../../../src/runtime/query/sql.ts";

export type EngineCall =
  | { readonly kind: "append"; readonly block: Block; readonly source: BlockSource }
  | { readonly kind: "storeSessions"; readonly blocks: readonly number[] }
  | { readonly kind: "dropProps"; readonly blocks: readonly number[] }
  | { readonly kind: "propsTexts"; readonly siteId: SiteId; readonly numbers: readonly number[] }
  | { readonly kind: "drop"; readonly blocks: readonly number[] }
  | { readonly kind: "behavioralFailure" }
  | { readonly kind: "query"; readonly query: EngineQuery }
  | { readonly kind: "queryColumns"; readonly query: EngineQuery }
  | { readonly kind: "storePartial"; readonly table: PartialTable; readonly part: number; readonly query: EngineQuery }
  | { readonly kind: "dropPartials"; readonly id: number; readonly parts: readonly number[] | "all" };

export type EngineRequest =
  | { readonly id: number; readonly call: EngineCall }
  /** Aborts the call with this id. */
  | { readonly id: number; readonly cancel: true };

export type EngineReply =
  | { readonly ready: true }
  | { readonly id: number; readonly result: void | Loaded | EngineUsage | StoredPartial | SqlRow[] | Columns | string[] | string | null }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } };
