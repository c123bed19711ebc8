/** Settings that a statement's result depends on, so that no profile on the server changes it (https://clickhouse.com/docs/operations/settings/settings). */
import type { ClickhouseStatement } from "./connection.ts";

/** The meaning of the SQL: NULL as in the SQL standard, exact distinct counts, UTC. */
const MEANING = {
  aggregate_functions_null_for_empty: 0,
  cast_keep_nullable: 0,
  count_distinct_implementation: "uniqExact",
  empty_result_for_aggregation_by_empty_set: 0,
  enable_analyzer: 1,
  final: 0,
  force_grouping_standard_compatibility: 1,
  group_by_use_nulls: 1,
  join_use_nulls: 1,
  prefer_column_name_to_alias: 1,
  session_timezone: "UTC",
  transform_null_in: 0,
  union_default_mode: "ALL",
} as const;

/** All rows or an error, and nothing but these rows. */
const COMPLETENESS = {
  additional_result_filter: "",
  additional_table_filters: "{}",
  distinct_overflow_mode: "throw",
  extremes: 0,
  group_by_overflow_mode: "throw",
  join_overflow_mode: "throw",
  limit: 0,
  offset: 0,
  partial_result_on_first_cancel: 0,
  read_overflow_mode: "throw",
  result_overflow_mode: "throw",
  set_overflow_mode: "throw",
  skip_unavailable_shards: 0,
  sort_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  use_query_cache: 0,
} as const;

/** The largest statement counts the largest list of goals, each with a property, in a range with as many filters as a request may have. */
const SIZE = {
  max_ast_elements: 1_000_000,
  max_expanded_ast_elements: 5_000_000,
  max_query_size: 4_194_304,
} as const;

const FORMAT = {
  output_format_json_array_of_rows: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_validate_utf8: 0,
} as const;

export const RESULT_SETTINGS: NonNullable<ClickhouseStatement["settings"]> = { ...MEANING, ...COMPLETENESS, ...SIZE, ...FORMAT };
