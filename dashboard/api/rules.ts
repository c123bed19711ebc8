/** The rules of a site, and what one would leave out (docs/http-api.md, "Rules of a site"). */
import { json, sendJson, urlOf } from "./http.ts";
import type { BuiltInRules, NewRule, PreviewedRule, RulePreview, SiteRules } from "./types.ts";

export type Rule = SiteRules[number];

export const rulesPath = (siteId: string): string => urlOf("/api/rules", { site_id: siteId });
const rulePath = (siteId: string, id: string): string => urlOf(`/api/rules/${id}`, { site_id: siteId });

export const fetchRules = (path: string, signal: AbortSignal): Promise<SiteRules> => sendJson(path, { signal });
export const addRule = (siteId: string, rule: NewRule): Promise<Rule> => sendJson(rulesPath(siteId), json("POST", rule));
export const replaceRule = (siteId: string, id: string, rule: NewRule): Promise<Rule> => sendJson(rulePath(siteId, id), json("PUT", rule));
export const deleteRule = (siteId: string, id: string): Promise<unknown> => sendJson(rulePath(siteId, id), json("DELETE"));

export const fetchBuiltInRules = (path: string, signal: AbortSignal): Promise<BuiltInRules> => sendJson(path, { signal });

/** The address and the body of a preview as one text, by which its answer is known. */
export const previewRequest = (dates: Parameters<typeof urlOf>[1], rule: PreviewedRule): string =>
  JSON.stringify([urlOf("/api/stats/rule-preview", dates), rule]);

/** `request` is of `previewRequest`. */
export function fetchRulePreview(request: string, signal: AbortSignal): Promise<RulePreview> {
  const [path, rule] = JSON.parse(request) as [string, PreviewedRule];
  return sendJson(path, { ...json("POST", rule), signal });
}
