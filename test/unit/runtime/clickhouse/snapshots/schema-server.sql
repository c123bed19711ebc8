CREATE DATABASE IF NOT EXISTS `sandpiper` ;

CREATE TABLE IF NOT EXISTS `sandpiper`.schema_versions 
  (version UInt32, completed_at DateTime DEFAULT now())
  ENGINE = MergeTree
  ORDER BY version;

CREATE TABLE IF NOT EXISTS `sandpiper`.events_data 
  (
    site_id LowCardinality(String),
    day Int32 CODEC(Delta, ZSTD(1)),
    node LowCardinality(String),
    segment UInt64 CODEC(Delta, ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    event_name LowCardinality(String) CODEC(ZSTD(1)),
    pathname LowCardinality(String) CODEC(ZSTD(1)),
    hostname LowCardinality(String) CODEC(ZSTD(1)),
    referrer LowCardinality(String) CODEC(ZSTD(1)),
    referrer_source LowCardinality(String) CODEC(ZSTD(1)),
    country_code LowCardinality(String) CODEC(ZSTD(1)),
    region LowCardinality(String) CODEC(ZSTD(1)),
    city LowCardinality(String) CODEC(ZSTD(1)),
    browser LowCardinality(String) CODEC(ZSTD(1)),
    browser_version LowCardinality(String) CODEC(ZSTD(1)),
    os LowCardinality(String) CODEC(ZSTD(1)),
    os_version LowCardinality(String) CODEC(ZSTD(1)),
    device_type LowCardinality(String) CODEC(ZSTD(1)),
    screen_size LowCardinality(String) CODEC(ZSTD(1)),
    utm_source LowCardinality(String) CODEC(ZSTD(1)),
    utm_medium LowCardinality(String) CODEC(ZSTD(1)),
    utm_campaign LowCardinality(String) CODEC(ZSTD(1)),
    utm_content LowCardinality(String) CODEC(ZSTD(1)),
    utm_term LowCardinality(String) CODEC(ZSTD(1)),
    props Nullable(String) CODEC(ZSTD(1)),
    revenue_amount Nullable(Int64) CODEC(ZSTD(1)),
    currency LowCardinality(String) CODEC(ZSTD(1)),
    visitor_id UInt64 CODEC(ZSTD(1)),
    timestamp Int64 CODEC(Delta, ZSTD(1)),
    engaged_seconds Nullable(Int64) CODEC(ZSTD(1)),
    click_id LowCardinality(String) CODEC(ZSTD(1)),
    interactive Nullable(Int64) CODEC(ZSTD(1)),
    evidence LowCardinality(String) CODEC(ZSTD(1))
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(toDate32(day))
  ORDER BY (site_id, day, visitor_id, timestamp, segment, row)
  SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS `sandpiper`.nodes  (node String, role String, version String, state String, started_ms Int64, secret_check String, rotation_days UInt32, unflushed UInt64, last_segment UInt64, seen_ms Int64 DEFAULT toUnixTimestamp64Milli(now64(3))) ENGINE = ReplacingMergeTree(seen_ms) ORDER BY node;

CREATE TABLE IF NOT EXISTS `sandpiper`.erasure_requests  (id String, site_id String, first_day String, last_day String, requested_ms Int64 DEFAULT toUnixTimestamp64Milli(now64(3))) ENGINE = ReplacingMergeTree(requested_ms) ORDER BY id;

CREATE TABLE IF NOT EXISTS `sandpiper`.erasure_confirmations  (request String, node String, events UInt64, days UInt64, confirmed_ms Int64 DEFAULT toUnixTimestamp64Milli(now64(3))) ENGINE = ReplacingMergeTree(confirmed_ms) ORDER BY (request, node);

CREATE TABLE IF NOT EXISTS `sandpiper`.site_settings  (site_id String, record String, changed_ms Int64, stored_ms Int64 DEFAULT toUnixTimestamp64Milli(now64(3))) ENGINE = ReplacingMergeTree(changed_ms) ORDER BY site_id;

ALTER TABLE `sandpiper`.events_data  ADD COLUMN IF NOT EXISTS engaged_seconds Nullable(Int64) CODEC(ZSTD(1));

ALTER TABLE `sandpiper`.events_data  ADD COLUMN IF NOT EXISTS click_id LowCardinality(String) DEFAULT '(unknown)' CODEC(ZSTD(1));

ALTER TABLE `sandpiper`.events_data  ADD COLUMN IF NOT EXISTS interactive Nullable(Int64) CODEC(ZSTD(1));

ALTER TABLE `sandpiper`.events_data  UPDATE
  pathname = arrayStringConcat(arrayMap(
    (piece, place) -> multiIf(
      place = 1, piece,
      NOT match(piece, '^[0-9A-Fa-f]{2}'), concat('%', piece),
      match(pathname, '%([^0-9A-Fa-f]|[0-9A-Fa-f]([^0-9A-Fa-f]|$)|$)'), concat('%', upper(substring(piece, 1, 2)), substring(piece, 3)),
      match(unhex(substring(piece, 1, 2)), '^[0-9A-Za-z._~-]$'), concat(unhex(substring(piece, 1, 2)), substring(piece, 3)),
      concat('%', upper(substring(piece, 1, 2)), substring(piece, 3))
    ),
    splitByChar('%', replaceAll(pathname, '^', '%5E')),
    arrayEnumerate(splitByChar('%', replaceAll(pathname, '^', '%5E')))
  )),
  hostname = replaceRegexpOne(hostname, '([^.])[.]+$', '\\1')
  WHERE match(pathname, '[%^]') OR endsWith(hostname, '.');

ALTER TABLE `sandpiper`.events_data  ADD COLUMN IF NOT EXISTS evidence LowCardinality(String) DEFAULT '(unknown)' CODEC(ZSTD(1));
