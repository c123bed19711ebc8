WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      WITH first_visits AS (
        SELECT arrayFirst(
          visit -> arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.viewed, visit),
          sessions
        ) AS visit
        FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, event_name = {p2:String}, matching, (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))), toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, matching UInt8, viewed UInt8, path String)'))) AS ordered
    FROM (SELECT * FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged WHERE visitor_id IN (SELECT visitor_id FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND true) AS ranged_events WHERE (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))))) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
      ),
      views AS (
        SELECT arrayFilter(event -> event.is_pageview, visit) AS pages, arrayFirstIndex(event -> event.viewed, pages) AS place
        FROM first_visits
        WHERE notEmpty(visit)
      )
      SELECT
        place + 1 BETWEEN 1 AND length(pages) AS has_next,
        if(place + 1 BETWEEN 1 AND length(pages), pages[place + 1].path, {p3:String}) AS next_page,
        count(*) AS visitors
      FROM views
      GROUP BY has_next, next_page) SELECT next_page, has_next, visitors FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      WITH first_visits AS (
        SELECT arrayFirst(
          visit -> arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.viewed, visit),
          sessions
        ) AS visit
        FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, event_name = {p2:String}, matching, (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))), toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, matching UInt8, viewed UInt8, path String)'))) AS ordered
    FROM (SELECT * FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged WHERE visitor_id IN (SELECT visitor_id FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND true) AS ranged_events WHERE (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))))) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
      ),
      views AS (
        SELECT arrayFilter(event -> event.is_pageview, visit) AS pages, arrayFirstIndex(event -> event.viewed, pages) AS place
        FROM first_visits
        WHERE notEmpty(visit)
      )
      SELECT
        place - 1 BETWEEN 1 AND length(pages) AS has_next,
        if(place - 1 BETWEEN 1 AND length(pages), pages[place - 1].path, {p3:String}) AS next_page,
        count(*) AS visitors
      FROM views
      GROUP BY has_next, next_page) SELECT next_page, has_next, visitors FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      WITH first_visits AS (
        SELECT arrayFirst(
          visit -> arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.viewed, visit),
          sessions
        ) AS visit
        FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, event_name = {p2:String}, matching, (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))), toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, matching UInt8, viewed UInt8, path String)'))) AS ordered
    FROM (SELECT * FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged WHERE visitor_id IN (SELECT visitor_id FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND true) AS ranged_events WHERE (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))))) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
      ),
      views AS (
        SELECT arrayFilter((event, i) -> i = 1 OR event.path != arrayFilter(event -> event.is_pageview, visit)[i - 1].path, arrayFilter(event -> event.is_pageview, visit), arrayEnumerate(arrayFilter(event -> event.is_pageview, visit))) AS pages, arrayFirstIndex(event -> event.viewed, pages) AS place
        FROM first_visits
        WHERE notEmpty(visit)
      )
      SELECT
        place + 1 BETWEEN 1 AND length(pages) AS has_next,
        if(place + 1 BETWEEN 1 AND length(pages), pages[place + 1].path, {p3:String}) AS next_page,
        count(*) AS visitors
      FROM views
      GROUP BY has_next, next_page) SELECT next_page, has_next, visitors FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20513,"p8":20526}
