WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  ),
    begun AS  (SELECT *, day AS bucket FROM matching_sessions)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20443,"p6":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p7:Int64}) AS bucket FROM matching_sessions)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20443,"p6":20526,"p7":3600000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20443,"p3":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN true THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p5:Int64}) AS bucket FROM matching_sessions)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":20443,"p4":20526,"p5":3600000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, intDiv(timestamp, {p2:Int64}) AS bucket FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":3600000,"p3":20443,"p4":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  )
    SELECT
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM matching_sessions) SELECT sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526}

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
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
  arrived AS (SELECT sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) AS number, extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)') AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64}) AS arriving GROUP BY ALL LIMIT {p3:Int64})
  SELECT number, host, source, medium, click FROM arrived;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":20001}

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
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1800000,"p3":"pageview","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

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
      toString(utm_source)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

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
      toString(utm_medium)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

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
      toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

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
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

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
      toString(browser)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

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
      toString(os)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

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
      toString(device_type)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

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
      toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  )
    SELECT
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM matching_sessions) SELECT sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512}

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
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
  arrived AS (SELECT sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) AS number, extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)') AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64}) AS arriving GROUP BY ALL LIMIT {p3:Int64})
  SELECT number, host, source, medium, click FROM arrived;
-- parameters: {"p0":"Site.test:8080","p1":20499,"p2":20512,"p3":20001}

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
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1800000,"p3":"pageview","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20499,"p7":20512,"p8":10000}

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
      toString(utm_source)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
      toString(utm_medium)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
      toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
      toString(browser)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
      toString(os)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
      toString(device_type)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
      toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
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
    GROUP BY value) SELECT value, sessions, bounces FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512,"p7":10000}

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
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString('')),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT *, day AS bucket FROM visits)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews, count(*) FILTER (WHERE is_converted) AS conversions
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews, conversions FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20457,"p8":20526}

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
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString('')),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p9:Int64}) AS bucket FROM visits)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews, count(*) FILTER (WHERE is_converted) AS conversions
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews, conversions FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20457,"p8":20526,"p9":3600000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20457,"p3":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN true THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p5:Int64}) AS bucket FROM matching_sessions)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":20457,"p4":20526,"p5":3600000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, intDiv(timestamp, {p2:Int64}) AS bucket FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":3600000,"p3":20457,"p4":20526}

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
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString('')),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
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
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
  arrived AS (SELECT sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) AS number, extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)') AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64}) AS arriving GROUP BY ALL LIMIT {p3:Int64})
  SELECT number, host, source, medium, click FROM arrived;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":20001}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, if(arrayExists(event -> event.is_pageview, visit), arrayFirst(event -> event.is_pageview, visit).text, {p1:String}) AS value, arrayExists(event -> event.is_goal, visit) AS is_converted
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p3:String}), (event_name = {p3:String} OR interactive IS NULL), matching, 1,
      CASE WHEN (event_name = {p3:String} AND (pathname <> {p1:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, count(*) FILTER (WHERE is_converted) AS conversions
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, conversions FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p9:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1800000,"p3":"pageview","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526,"p9":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayExists(event -> event.is_goal, visit) AS is_converted
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString(city)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, count(*) FILTER (WHERE is_converted) AS conversions
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, conversions FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p9:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526,"p9":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayExists(event -> event.is_goal, visit) AS is_converted
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, CASE WHEN false THEN 1 ELSE 0 END, 0,
      toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, count(*) FILTER (WHERE is_converted) AS conversions
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, conversions FROM (SELECT * FROM totals) AS named ORDER BY named.sessions DESC, named.value ASC LIMIT {p9:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526,"p9":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString('')),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT *, day AS bucket FROM visits)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20457,"p7":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p7:Int64}) AS bucket FROM matching_sessions)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20457,"p6":20526,"p7":3600000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT day AS bucket, max(revenue_amount) AS largest
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS paid
    WHERE currency = {p5:String} AND revenue_amount IS NOT NULL
    GROUP BY day) SELECT bucket, largest FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":20457,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":"EUR"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20457,"p3":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN true THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p5:Int64}) AS bucket FROM matching_sessions)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":20457,"p4":20526,"p5":3600000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, intDiv(timestamp, {p2:Int64}) AS bucket FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":3600000,"p3":20457,"p4":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString('')),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
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
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    ) SELECT sessions, bounces, duration_ms, pageviews, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(utm_campaign)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
  arrived AS (SELECT sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) AS number, extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)') AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64}) AS arriving GROUP BY ALL LIMIT {p3:Int64})
  SELECT number, host, source, medium, click FROM arrived;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":20001}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, if(arrayExists(event -> event.is_pageview, visit), arrayFirst(event -> event.is_pageview, visit).text, {p1:String}) AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p3:String}), (event_name = {p3:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p4:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p4:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p9:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1800000,"p3":"pageview","p4":"EUR","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526,"p9":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(utm_source)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(utm_medium)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(country_code)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(browser)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(os)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(device_type)),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT toInt64(visit[1].day) AS day, visit[1].ms AS first_ms, arrayCount(event -> event.is_interaction, visit) AS interactions, arrayCount(event -> event.is_pageview, visit) AS pageviews, visit[-1].ms - visit[1].ms AS duration_ms, visit[1].text AS value, arrayCount(event -> event.is_paid, visit) AS payments, arraySum(event -> toInt128(event.cents), visit) AS revenue
    FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, day, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN false THEN 1 ELSE 0 END, CASE WHEN currency = {p3:String} AND revenue_amount IS NOT NULL THEN 1 ELSE 0 END, if(currency = {p3:String} AND revenue_amount IS NOT NULL, assumeNotNull(revenue_amount), 0),
      toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p4:String} AND pathname = {p5:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  ),
    begun AS  (SELECT * FROM visits)
    SELECT value,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces, CAST(coalesce(sum(payments), 0) AS BIGINT) AS payments, coalesce(sum(revenue), 0) AS revenue
    FROM begun
    GROUP BY value) SELECT value, sessions, bounces, payments, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.payments DESC, named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"EUR","p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":20513,"p7":20526,"p8":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20457,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, intDiv(timestamp, {p2:Int64}) AS bucket FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND NOT browser = {p5:String} AND pathname = {p6:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":3600000,"p3":20457,"p4":20526,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20457,"p3":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (

  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> bitShiftRight(event, 19), ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(bitShiftLeft(timestamp, 19) + bitShiftLeft(toInt64(day), 3) + 4 * (event_name = {p2:String} OR interactive IS NULL) + 2 * (event_name = {p2:String}) + matching)) AS ordered
    FROM (SELECT *, CASE WHEN true THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], 3), 65535) AS day,
      bitShiftRight(visit[1], 19) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], 19) - bitShiftRight(visit[1], 19) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  ),
    begun AS  (SELECT *, intDiv(first_ms, {p5:Int64}) AS bucket FROM matching_sessions)
    SELECT bucket,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND interactions = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
    FROM begun
    GROUP BY bucket) SELECT bucket, sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":20457,"p4":20526,"p5":3600000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, intDiv(timestamp, {p2:Int64}) AS bucket FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND true) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":3600000,"p3":20457,"p4":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT visit_value AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (
    SELECT event.of_visitor_id AS visitor_id, event.of_event_name AS event_name, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, matching, 1, toString(utm_campaign), visitor_id, toString(event_name)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":1800000,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
  arrived AS (SELECT sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) AS number, extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)') AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64}) AS arriving GROUP BY ALL LIMIT {p3:Int64})
  SELECT number, host, source, medium, click FROM arrived;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":20001}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT visit_value AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (
    SELECT event.of_visitor_id AS visitor_id, event.of_event_name AS event_name, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, matching, 1, toString(utm_source), visitor_id, toString(event_name)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":1800000,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT visit_value AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (
    SELECT event.of_visitor_id AS visitor_id, event.of_event_name AS event_name, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, matching, 1, toString(utm_medium), visitor_id, toString(event_name)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":1800000,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT country_code AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY country_code) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT visit_value AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (
    SELECT event.of_visitor_id AS visitor_id, event.of_event_name AS event_name, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, matching, 1, toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))]), visitor_id, toString(event_name)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":1800000,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT browser AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY browser) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT os AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY os) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT device_type AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY device_type) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT pathname AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY pathname) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":10000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT visit_value AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (
    SELECT event.of_visitor_id AS visitor_id, event.of_event_name AS event_name, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, matching, 1, toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))]), visitor_id, toString(event_name)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.pageviews DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":1800000,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10000}
