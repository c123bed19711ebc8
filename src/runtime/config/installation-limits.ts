/** Fixed bounds of the check of an installation (docs/http-api.md, "Installation check"). Names end with the unit. */

/** Names whose latest events are counted: at most 1 MB with every outcome. */
export const OUTCOME_NAMES_MAX = 500;

/** Other names that the check of one site lists. */
export const OTHER_NAMES_MAX = 10;
