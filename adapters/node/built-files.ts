/** The files that the build writes beside the program: the scripts of its threads, and what they and it read. */

/** The database of the option `geoip_db = "builtin"`. */
export const COUNTRY_DATABASE = new URL("./countries.mmdb", import.meta.url);

export const THREADS = {
  engine: new URL("./engine-worker.js", import.meta.url),
  engineModule: new URL("./engine.wasm", import.meta.url),
  parquet: new URL("./parquet-worker.js", import.meta.url),
  passwords: new URL("./password-worker.js", import.meta.url),
  rollups: new URL("./rollup-worker.js", import.meta.url),
};
