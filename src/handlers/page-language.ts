/** The language of a page that the service writes by itself: one of the dashboard's. */
import { weightsIn } from "./files.ts";

/** The first is for everybody else. */
export const PAGE_LANGUAGES = ["en", "de", "fr", "es"] as const;

export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The preferred language of those that exist (RFC 9110, 12.5.4), without regard to its region. */
export function languageOf(acceptLanguage: string | null): PageLanguage {
  let best: PageLanguage = PAGE_LANGUAGES[0];
  let bestWeight = 0;
  for (const [tag, weight] of weightsIn(acceptLanguage ?? "")) {
    const language = PAGE_LANGUAGES.find((name) => name === tag.split("-")[0]);
    if (language && weight > bestWeight) [best, bestWeight] = [language, weight];
  }
  return best;
}
