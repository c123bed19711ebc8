WITH events AS (SELECT * FROM `sandpiper`.events_all WHERE site_id = {p0:String}), shards AS (SELECT * FROM cluster(`web`, view(WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), shard AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT * FROM shard))), totals AS (SELECT sum(visitors) AS visitors, sum(pageviews) AS pageviews, sum(events) AS events FROM shards ) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_all WHERE site_id = {p0:String}), shards AS (SELECT * FROM cluster(`web`, view(WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), shard AS (

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
    FROM matching_sessions) SELECT * FROM shard))), totals AS (SELECT sum(sessions) AS sessions, sum(bounces) AS bounces, sum(duration_ms) AS duration_ms, sum(pageviews) AS pageviews FROM shards ) SELECT sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_all WHERE site_id = {p0:String}), shards AS (SELECT * FROM cluster(`web`, view(WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), shard AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT * FROM shard))), totals AS (SELECT sum(visitors) AS visitors, sum(pageviews) AS pageviews, sum(events) AS events FROM shards ) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_all WHERE site_id = {p0:String}), shards AS (SELECT * FROM cluster(`web`, view(WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), shard AS (

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
    FROM matching_sessions) SELECT * FROM shard))), totals AS (SELECT sum(sessions) AS sessions, sum(bounces) AS bounces, sum(duration_ms) AS duration_ms, sum(pageviews) AS pageviews FROM shards ) SELECT sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_all WHERE site_id = {p0:String}), shards AS (SELECT * FROM cluster(`web`, view(WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), shard AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT * FROM shard))), totals AS (SELECT sum(visitors) AS visitors, sum(pageviews) AS pageviews, sum(events) AS events FROM shards ) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20499,"p3":20512,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_all WHERE site_id = {p0:String}), shards AS (SELECT * FROM cluster(`web`, view(WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), shard AS (

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
    FROM matching_sessions) SELECT * FROM shard))), totals AS (SELECT sum(sessions) AS sessions, sum(bounces) AS bounces, sum(duration_ms) AS duration_ms, sum(pageviews) AS pageviews FROM shards ) SELECT sessions, bounces, duration_ms, pageviews FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20499,"p6":20512}
