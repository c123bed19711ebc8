/** The endpoints of a site's goals (docs/http-api.md, "Goals of a site"). */
import { json } from "./admin.ts";
import { sendJson, urlOf } from "./http.ts";
import type { NewGoal, SiteGoals } from "./types.ts";

export type SiteGoal = SiteGoals[number];

const goalsPath = (siteId: string): string => urlOf("/api/goals", { site_id: siteId });
const goalPath = (siteId: string, id: string): string => urlOf(`/api/goals/${id}`, { site_id: siteId });

export const listGoals = (siteId: string): Promise<SiteGoals> => sendJson(goalsPath(siteId), {});
export const addGoal = (siteId: string, goal: NewGoal): Promise<SiteGoal> => sendJson(goalsPath(siteId), json("POST", goal));
export const replaceGoal = (siteId: string, id: string, goal: NewGoal): Promise<SiteGoal> =>
  sendJson(goalPath(siteId, id), json("PUT", goal));
export const deleteGoal = (siteId: string, id: string): Promise<unknown> => sendJson(goalPath(siteId, id), json("DELETE"));
