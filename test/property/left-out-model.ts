/** What the rules of a lens mean, for visits in memory: the model that the SQL of both engines has to equal. */
import type { STRICT } from "../../src/runtime/query/lenses.ts";
import type { StoredEvent } from "../../src/storage/event.ts";

/** Its events that the reader may see, in order of time. */
type Visit = readonly StoredEvent[];

type Rules = Pick<typeof STRICT, "codes">;

/** The visits that the rules leave out. All visits of whole days must be given. */
export function leftOut(visits: readonly Visit[], { codes }: Rules): ReadonlySet<Visit> {
  const wanted = new Set<string>(codes.flatMap((rule) => rule.codes));
  const hasCode = ({ evidence }: StoredEvent): boolean => evidence?.split(" ").some((code) => wanted.has(code)) ?? false;
  return new Set(visits.filter((visit) => visit.some(hasCode)));
}
