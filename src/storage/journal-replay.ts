/** Recovers the journal of an earlier process: segments are read, damaged ones are quarantined, and their intact lines count. */
import { bufferedEvent } from "./event-text.ts";
import { decodeJournalLines } from "./journal-line.ts";
import { Segment } from "./segment.ts";
import type { SegmentLog } from "./segment-log.ts";

/** A damaged segment that recovery has quarantined. */
export interface JournalDamage {
  readonly segment: number;
  readonly damagedLines: number;
  readonly keptAt: string;
}

export interface ReplayedJournal {
  /** Segments with events, oldest first. */
  readonly segments: readonly Segment[];
  readonly damage: readonly JournalDamage[];
}

/** Reads the segments back and removes those without events. */
export async function replayJournal(log: SegmentLog, numbers: readonly number[]): Promise<ReplayedJournal> {
  const segments: Segment[] = [];
  const damage: JournalDamage[] = [];
  for (const number of numbers) {
    const bytes = await log.read(number);
    const { events, damagedLines } = decodeJournalLines(bytes);
    if (damagedLines > 0) damage.push({ segment: number, damagedLines, keptAt: await log.quarantine(number) });
    if (events.length === 0) {
      await log.remove(number);
      continue;
    }
    const segment = new Segment(number);
    segment.bytes = bytes.length;
    segment.replication = "begun";
    for (const event of events) segment.add(bufferedEvent(event));
    segments.push(segment);
  }
  return { segments, damage };
}
