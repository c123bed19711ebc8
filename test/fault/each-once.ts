/** Invariant 1 of the architecture as an assertion: compares the stored events with the response to each posted event. */
import { expect } from "vitest";
import type { EventLoad, LoadEvent } from "./event-load.ts";

const pageOf = ({ siteId, pathname }: LoadEvent): string => `${siteId}${pathname}`;

/** Every acknowledged event once, every unanswered one at most once, and nothing else. */
export function expectEachOnce(found: ReadonlyMap<string, number>, load: EventLoad, isMeant: (event: LoadEvent) => boolean): void {
  const acknowledged = new Set(load.acknowledged.filter(isMeant).map(pageOf));
  const unanswered = new Set(load.unanswered.filter(isMeant).map(pageOf));
  const wrong = {
    lost: [...acknowledged].filter((page) => !found.has(page)),
    repeated: [...found].filter(([, events]) => events !== 1),
    unknown: [...found.keys()].filter((page) => !acknowledged.has(page) && !unanswered.has(page)),
  };
  expect(wrong).toEqual({ lost: [], repeated: [], unknown: [] });
}
