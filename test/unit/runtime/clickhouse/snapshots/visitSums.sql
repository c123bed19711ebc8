WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayExists(event -> event.is_goal, visit) AS is_converted, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, CASE WHEN currency = {p5:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p5:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(hostname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p9:Int64}) AS bucket FROM visits)
    SELECT bucket, value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews, count(*) FILTER (WHERE is_converted) AS conversions, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY bucket, value) SELECT value, bucket, sessions, bounces, duration_ms, pageviews, conversions, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM (SELECT * FROM totals ORDER BY sessions DESC, value ASC LIMIT {p10:Int64} BY bucket) AS totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526,"p9":3600000,"p10":50}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString(utm_campaign)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN pathname = {p3:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p4:Int64} AND day <= {p5:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT *, day AS bucket FROM visits)
    SELECT bucket, value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces
    FROM begun
    GROUP BY bucket, value) SELECT value, bucket, sessions, bounces FROM (SELECT * FROM (SELECT * FROM totals ORDER BY sessions DESC, value ASC LIMIT {p6:Int64} BY bucket) AS totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p4":20513,"p5":20526,"p6":50}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, if(arrayExists(event -> event.is_pageview, visit), arrayFirst(event -> event.is_pageview, visit).text, {p1:String}) AS value
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p3:String}), (event_name = {p3:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1800000,"p3":"pageview","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString(country_code)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN pathname = {p3:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p4:Int64} AND day <= {p5:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p4":20513,"p5":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, arrayExists(event -> event.is_goal, visit) AS is_converted
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN event_name = {p3:String} THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString('')),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews, count(*) FILTER (WHERE is_converted) AS conversions
    FROM begun
    ) SELECT sessions, bounces, duration_ms, pageviews, conversions FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526}
