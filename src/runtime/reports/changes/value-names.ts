/** Names of values in English sentences, as people read them (docs/http-api.md, "Changes"). */
import { UNRECORDED } from "../../../shared/filters.ts";
import { readableHost, readablePath } from "../../../shared/paths.ts";
import { withHiddenAs } from "../../../shared/text.ts";

const UNRECORDED_NAMES: Readonly<Record<string, string>> = {
  "visit-sources": "direct visits",
  "visit-referrers": "direct visits",
  "entry-pages": "visits without a page view",
  "exit-pages": "visits without a page view",
};

let regionNames: Intl.DisplayNames | null = null;

function countryName(code: string): string {
  regionNames ??= new Intl.DisplayNames("en", { type: "region", fallback: "code" });
  try {
    return regionNames.of(code) ?? code;
  } catch {
    return code;
  }
}

/** No value reorders or hides a sentence. */
const visible = (text: string): string => withHiddenAs(text, "\uFFFD");

export function nameOf(dimension: string, value: string): string {
  if (value === UNRECORDED) return UNRECORDED_NAMES[dimension] ?? "unknown";
  if (dimension === "countries") return countryName(value);
  if (dimension === "pages" || dimension === "entry-pages" || dimension === "exit-pages") return visible(readablePath(value));
  return dimension === "visit-sources" || dimension === "visit-hostnames" ? readableHost(visible(value)) : visible(value);
}
