/** Whether an event meets a goal, as SQL. */
import { stepSql } from "./steps.ts";
import type { SqlText } from "./sql.ts";

export type Goal = { readonly id: string; readonly name: string } & ({ readonly page: string } | { readonly event: string });

export const goalSql = (goal: Goal, _events: SqlText): SqlText =>
  "page" in goal ? stepSql({ kind: "page", value: goal.page }) : stepSql({ kind: "event", value: goal.event });
