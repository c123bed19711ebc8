/**
 * A sweep causes a failure at every change, in each of several ways. The quick tier covers every change, but each with one of the ways in
 * turn. The other tiers, which run after it, cover the rest.
 */
import { TIER } from "../support/tier.ts";

/** Whether the tier strikes at this change in this way, the `way`th of `ways`. */
export const isTurnOf = (way: number, ways: number, atChange: number): boolean => (TIER === "quick") === (atChange % ways === way);
