/** How the command `rename` renames a site: it works until that is complete, or leaves the site as it was. */
import type { Services } from "../../../src/runtime/service/services.ts";
import type { SiteId } from "../../../src/storage/event.ts";
import { type CommandOutcome, counted } from "../command-output.ts";

export async function renameSite(
  { eventStore, knownSites, mayHaveEvents, siteMoves }: Pick<Services, "eventStore" | "knownSites" | "mayHaveEvents" | "siteMoves">,
  from: SiteId,
  to: SiteId,
): Promise<CommandOutcome> {
  if (siteMoves === null) throw new Error("sites cannot be renamed here");
  await knownSites.untilListed();
  await siteMoves.rename(from, to, { hasEvents: mayHaveEvents, signal: new AbortController().signal });
  const find = () => siteMoves.otherNames.findLast(({ name, siteId }) => name === from && siteId === to);
  while (find()?.isComplete === false) {
    if (!(await siteMoves.job.run())) throw new Error("the data folder cannot be read or written; the log says why");
  }
  const other = find();
  if (other === undefined) return { succeeded: false, text: `Nothing is renamed: ${siteMoves.failureOf(from)}\n` };
  const days = await eventStore.days(to);
  const until = other.untilMs === null ? "" : ` until ${new Date(other.untilMs).toISOString().slice(0, 10)}`;
  return { succeeded: true, text: `${from} is ${to} now: events on ${counted(days.length, "day")}. The old name stands for it${until}.\n` };
}
