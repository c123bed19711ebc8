/**
 * A sweep strikes at every change in each of several ways. The tier `all` plays all of that; the quick one strikes at every
 * change as well, but in one of the ways, by turns.
 */
import { TIER } from "../support/tier.ts";

/** Whether the tier strikes at this change in this way, the `way`th of `ways`. */
export const isTurnOf = (way: number, ways: number, atChange: number): boolean => TIER === "all" || atChange % ways === way;
