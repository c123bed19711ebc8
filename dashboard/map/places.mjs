/** A place in each country of the address database that the atlas lacks, or draws as a part of another country: [longitude, latitude]. */

/** @type {Readonly<Record<string, readonly [longitude: number, latitude: number]>>} */
export const PLACES = {
  /** The Netherlands Antilles: no country since 2010, but some networks are still registered there. */
  AN: [-69.2, 12],
  BQ: [-68.3, 12.2],
  BV: [3.4, -54.4],
  CC: [96.8, -12.2],
  CX: [105.6, -10.5],
  GF: [-53.1, 3.9],
  GI: [-5.4, 36.1],
  GP: [-61.6, 16.2],
  MQ: [-61, 14.7],
  RE: [55.5, -21.1],
  SJ: [16, 78.2],
  TK: [-171.8, -9.2],
  TV: [179.2, -8.5],
  UM: [166.6, 19.3],
  YT: [45.2, -12.8],
};
