/** Every fixed bound of rollups (docs/data-format.md, "Rollups"). Names end with the unit. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Salt periods get a rollup once their events weigh this much: with less, reading the events is as fast. */
export const ROLLUP_WEIGHT_BYTES_MIN = 256 * KIB;

/** What a day weighs on top of the size of its Parquet files: opening them takes as long as reading this much. */
export const ROLLUP_DAY_WEIGHT_BYTES = 16 * KIB;

/** Sites whose listings of rollups are kept in memory. */
export const ROLLUP_LISTINGS_MAX = 1_000;

/** Characters of all cached headers of rollups; the least recently used are evicted first. */
export const ROLLUP_HEADERS_CHARS_MAX = 8 * MIB;

/** Unreadable rollups that are remembered, because each is reported once. */
export const UNREADABLE_ROLLUPS_REMEMBERED_MAX = 10_000;
