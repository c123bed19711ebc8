/** Days of a site that the engine holds as one, and who needs them. */
import type { SiteId, UtcDay } from "../../storage/event.ts";
import type { KeptProps } from "./props-share.ts";

export interface CachedBlock {
  readonly id: number;
  readonly siteId: SiteId;
  readonly days: UtcDay[];
  /** What its rows take as Parquet, roughly. */
  parquetBytes: number;
  /** Queries and loads that need it now. */
  pins: number;
  /** It was loaded in onePass and nobody has needed it otherwise. */
  onePass: boolean;
  readonly props: KeptProps;
  /** Its days were erased or are loaded anew: nobody asks for it any more, and it is dropped when nobody needs it. */
  outdated: boolean;
}

/** Whether somebody needs the properties of events, too. */
interface Need {
  readonly withProperties?: boolean;
}

/** Needs a block, and its properties where they are wanted, until it is unpinned as often. */
export function pin(block: CachedBlock, { withProperties }: Need): void {
  block.pins++;
  if (withProperties) block.props.pins++;
}

export function unpin(block: CachedBlock, { withProperties }: Need): void {
  block.pins--;
  if (withProperties) block.props.pins--;
}
