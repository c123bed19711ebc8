WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT pathname AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY pathname) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":10}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      WITH visits AS (
        SELECT visitor_id, arrayJoin(sessions) AS visit
        FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, event_name = {p2:String}, matching, 0, toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, matching UInt8, viewed UInt8, path String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
      )
      SELECT
        arrayFirst(event -> event.is_pageview, visit).path AS value,
        count(DISTINCT visitor_id) AS visitors,
        count(*) AS sessions
      FROM visits
      WHERE arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.is_pageview, visit)
      GROUP BY value) SELECT value, visitors, sessions FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":20513,"p6":20526,"p7":10}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      WITH visits AS (
        SELECT visitor_id, arrayJoin(sessions) AS visit
        FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, event_name = {p2:String}, matching, 0, toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, matching UInt8, viewed UInt8, path String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
      )
      SELECT
        arrayLast(event -> event.is_pageview, visit).path AS value,
        count(DISTINCT visitor_id) AS visitors,
        count(*) AS sessions
      FROM visits
      WHERE arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.is_pageview, visit)
      GROUP BY value) SELECT value, visitors, sessions FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":20513,"p6":20526,"p7":10}
