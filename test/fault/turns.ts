/**
 * A sweep causes a failure at every change, in each of several ways. The tier `all` runs every combination; the quick tier also
 * covers every change, but each with one of the ways in turn.
 */
import { TIER } from "../support/tier.ts";

/** Whether the tier strikes at this change in this way, the `way`th of `ways`. */
export const isTurnOf = (way: number, ways: number, atChange: number): boolean => TIER !== "quick" || atChange % ways === way;
