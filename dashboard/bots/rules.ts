/** The rules of the site: loaded, in words, applied and taken back (docs/bots.md, "Leave out a wave and take it back"). */
import { problemText } from "../api/http.ts";
import { fetchRules, replaceRule, rulesPath, type Rule } from "../api/rules.ts";
import type { SiteRules } from "../api/types.ts";
import { filterInWords } from "../format/filter-words.ts";
import { formatRange } from "../format/locale.ts";
import { showToast } from "../kit/toast.tsx";
import { handleFailure } from "../state/connection.ts";
import { parseFilters } from "../state/filters.ts";
import { reloadAll, useRequest, type Report } from "../state/requests.ts";
import { site } from "../state/view.ts";
import { fill, words } from "../words/words.ts";

export const useRules = (): Report<SiteRules> => useRequest(rulesPath(site.value ?? ""), fetchRules);

interface BuiltInWords {
  readonly name: string;
  readonly text: string;
}

const builtInWords = (id: string): BuiltInWords | undefined =>
  (words.rules.builtInRules as Readonly<Record<string, BuiltInWords | undefined>>)[id];

/** The id for a rule that this page does not know yet. */
export const builtInName = (id: string): string => builtInWords(id)?.name ?? id;

export const builtInText = (id: string): string | null => builtInWords(id)?.text ?? null;

/** `Country is Singapore, Browser is Chrome` */
export function conditionsText(text: string): string {
  const filters = parseFilters(text);
  return filters.map((filter) => filterInWords(filter, filters)).join(", ");
}

/** `Visits since 3 May 2026` */
export function datesText({ first_date: first, last_date: last }: Pick<Rule, "first_date" | "last_date">): string {
  const { rules } = words;
  if (first !== null && last !== null) return fill(rules.within, { dates: formatRange(first, last) });
  if (first !== null) return fill(rules.since, { date: formatRange(first, first) });
  return last === null ? rules.always : fill(rules.until, { date: formatRange(last, last) });
}

/** All reports follow. The message takes the change back. What somebody else has changed since the rule was listed stays. */
export async function setApplied(siteId: string, listed: Rule, isApplied: boolean): Promise<void> {
  const now = await fetchRules(rulesPath(siteId), new AbortController().signal);
  const rule = now.find(({ id }) => id === listed.id) ?? listed;
  await replaceRule(siteId, rule.id, { ...rule, is_applied: isApplied });
  reloadAll();
  noteApplied(siteId, rule, isApplied);
}

/** Says which state a rule has now, with the way back. */
export function noteApplied(siteId: string, rule: Rule, isApplied: boolean): void {
  const undo = () =>
    setApplied(siteId, rule, !isApplied).catch((error: unknown) => {
      handleFailure(error);
      showToast({ text: problemText(error) });
    });
  const text = fill(isApplied ? words.rules.nowApplied : words.rules.nowUndone, { name: rule.name });
  showToast({ text, action: { label: words.kit.undo, run: () => void undo() } });
}
