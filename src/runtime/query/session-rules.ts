/** The rules that decide which events of a visitor are one session (docs/reports.md, "Sessions"). */
import { MINUTE_MS } from "../../storage/event.ts";
import type { Config } from "../base/config/config.ts";

export interface SessionRules {
  /** A longer pause between two events of a visitor starts a new session. */
  readonly sessionGapMs: number;
  /** Days of a salt period. With more than one, sessions continue past midnight. */
  readonly rotationDays: number;
}

export const sessionRulesOf = ({ sessionWindowMinutes, visitorSaltRotationDays }: Config): SessionRules => ({
  sessionGapMs: sessionWindowMinutes * MINUTE_MS,
  rotationDays: visitorSaltRotationDays,
});
