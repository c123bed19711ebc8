WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT facet, coalesce(minute, 0) AS minute, coalesce(value, {p1:String}) AS value, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        minute,
        coalesce(page, source, country_code, event) AS value,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (
    SELECT visitor_id, country_code,
      timestamp >= {p2:Int64} AS is_recent,
      timestamp >= {p2:Int64} AS is_current,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN intDiv(timestamp, {p4:Int64}) END AS minute,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p2:Int64} AND event_name <> {p3:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p5:Int64} AND day <= {p5:Int64} AND NOT browser = {p6:String} AND pathname = {p7:String}) AS scoped
    WHERE timestamp >= {p2:Int64} AND timestamp <= {p8:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE minute IS NOT NULL OR value IS NOT NULL OR facet = {p9:Int64}) SELECT value, facet, minute, visitors, current_visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1773575700000,"p3":"pageview","p4":60000,"p5":20527,"p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":1773576000000,"p9":31}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT facet, coalesce(minute, 0) AS minute, coalesce(value, {p1:String}) AS value, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        minute,
        coalesce(page, source, country_code, event) AS value,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (
    SELECT visitor_id, country_code,
      timestamp >= {p2:Int64} AS is_recent,
      timestamp >= {p3:Int64} AS is_current,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p4:String} THEN intDiv(timestamp, {p5:Int64}) END AS minute,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p4:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p4:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p2:Int64} AND event_name <> {p4:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p6:Int64} AND NOT browser = {p7:String} AND pathname = {p8:String}) AS scoped
    WHERE timestamp >= {p2:Int64} AND timestamp <= {p9:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE minute IS NOT NULL OR value IS NOT NULL OR facet = {p10:Int64}) SELECT value, facet, minute, visitors, current_visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1773574200000,"p3":1773575700000,"p4":"pageview","p5":60000,"p6":20527,"p7":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p8":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p9":1773576000000,"p10":31}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
  arrived AS (SELECT sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) AS number, extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)') AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p1:Int64}) AS arriving GROUP BY ALL LIMIT {p2:Int64})
  SELECT number, host, source, medium, click FROM arrived;
-- parameters: {"p0":"Site.test:8080","p1":20527,"p2":20001}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT facet, coalesce(minute, 0) AS minute, coalesce(value, {p1:String}) AS value, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        minute,
        coalesce(page, source, country_code, event) AS value,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (
    SELECT visitor_id, country_code,
      timestamp >= {p2:Int64} AS is_recent,
      timestamp >= {p2:Int64} AS is_current,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN intDiv(timestamp, {p4:Int64}) END AS minute,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN visit_value END AS source,
      CASE WHEN timestamp >= {p2:Int64} AND event_name <> {p3:String} THEN event_name END AS event
    FROM (
    SELECT event.of_visitor_id AS visitor_id, event.of_timestamp AS timestamp, event.of_event_name AS event_name, event.of_pathname AS pathname, event.of_country_code AS country_code, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p5:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, matching, 1, toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))]), visitor_id, timestamp, toString(event_name), toString(pathname), toString(country_code)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_timestamp Int64, of_event_name String, of_pathname String, of_country_code String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p6:String} AND pathname = {p7:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p8:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS scoped
    WHERE timestamp >= {p2:Int64} AND timestamp <= {p9:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE minute IS NOT NULL OR value IS NOT NULL OR facet = {p10:Int64}) SELECT value, facet, minute, visitors, current_visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1773575700000,"p3":"pageview","p4":60000,"p5":1800000,"p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":20527,"p9":1773576000000,"p10":31}
