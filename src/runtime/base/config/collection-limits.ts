/** Every fixed bound of what people make for a site: goals, segments and annotations (docs/http-api.md, "Limits"). Names end with the unit. */
const MIB = 1024 ** 2;

/** Of a site. */
export const GOALS_MAX = 50;
export const SEGMENTS_MAX = 200;
export const ANNOTATIONS_MAX = 2_000;

/** Longest name of a goal or a segment, and longest text of an annotation, in code points. */
export const ITEM_NAME_CHARS_MAX = 100;
export const ANNOTATION_CHARS_MAX = 200;

/** Goals that one query counts: of the wildcard patterns that a query may have, some are left for filters. */
export const GOALS_OF_QUERY_MAX = 25;

/** Each text that a segment saves, in code points. */
export const SEGMENT_CHARS_MAX = 8_192;

/** Key and value of the property that a goal asks for, in code points. */
export const GOAL_PROPERTY_CHARS_MAX = 512;

/** UTF-8 of a site's items of one kind as JSON: a row of a Durable Object holds 2 MB. */
export const COLLECTION_BYTES_MAX = MIB;

/** Changes of goals, segments or annotations that may wait for the current one. */
export const COLLECTION_CHANGES_WAITING_MAX = 64;
