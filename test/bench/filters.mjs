/** Filters of the benches: each operator once, on values that the generated events have, and none. */

export const FILTERS = {
  "one of 2,000 cities": "cities==City 1500",
  "one of 60 countries": "countries==AB",
  "the top page": "pages==/articles/0/a-title-of-usual-length",
  "the top browser": "browsers==Chrome",
  "three countries": "countries=in=(AB,AC,AD)",
  "a part of pages": "pages=contains=usual",
  "a pattern of pages": "pages=like=/articles/*0/*",
  "an expression": "pages=matches=^/articles/[0-9]*[05]/",
  "an entry page": "entry-page==/articles/0/a-title-of-usual-length",
  "a channel of visits": "visit-channels==Organic Search",
  "a goal": "goal==Signup",
  "a property": "props:plan==pro",
  "no filter": "",
};
