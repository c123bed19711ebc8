WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT pathname AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY pathname) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":10}

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
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10}

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
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT referrer_source AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events,
      coalesce(sum(toInt128(assumeNotNull(revenue_amount))) FILTER (WHERE currency = {p2:String} AND revenue_amount IS NOT NULL), 0) AS revenue
    FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND NOT browser = {p5:String} AND pathname = {p6:String}) AS scoped
    GROUP BY referrer_source) SELECT value, visitors, pageviews, events, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals WHERE (totals.value <> {p7:String} AND (position(replaceAll(lowerUTF8(totals.value), {p8:String}, {p9:String}), {p10:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p8:String}, {p9:String}), {p11:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p8:String}, {p9:String}), {p12:String}) > 0))) AS named ORDER BY named.value DESC LIMIT {p13:Int64} OFFSET {p14:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"EUR","p3":20513,"p4":20526,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":"(unknown)","p8":"ς","p9":"σ","p10":"zq7'\"`{p0:string}*%_\\ -- // ?:é","p11":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%a9","p12":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%89","p13":10,"p14":1}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT referrer_source AS value, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped
    GROUP BY referrer_source) SELECT count(*) AS row_count FROM totals WHERE (totals.value <> {p6:String} AND (position(replaceAll(lowerUTF8(totals.value), {p7:String}, {p8:String}), {p9:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p7:String}, {p8:String}), {p10:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p7:String}, {p8:String}), {p11:String}) > 0));
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p6":"(unknown)","p7":"ς","p8":"σ","p9":"zq7'\"`{p0:string}*%_\\ -- // ?:é","p10":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%a9","p11":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%89"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    WITH visits AS (
      SELECT visitor_id, arrayJoin(sessions) AS visit
      FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, coalesce(if(currency = {p5:String}, revenue_amount, 0), 0), toString(referrer_source)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8, is_goal UInt8,
      cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p6:String} AND pathname = {p7:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p8:Int64} AND day <= {p9:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
    ),
    valued AS (
      SELECT
        visitor_id,
        arrayCount(event -> event.is_interaction, visit) AS session_interactions,
        arrayCount(event -> event.is_pageview, visit) AS session_pageviews,
        visit[-1].ms - visit[1].ms AS duration_ms,
        arrayExists(event -> event.is_goal, visit) AS is_converted,
        arraySum(event -> toInt128(event.cents), visit) AS session_revenue,
        arrayJoin(arrayDistinct(arrayMap(event -> event.text, arrayFilter(event -> event.matching, visit)))) AS value
      FROM visits
      WHERE arrayExists(event -> event.matching, visit)
    ),
    described AS (SELECT value,
    count(DISTINCT visitor_id) AS visitors,
    count(*) AS sessions,
    count(*) FILTER (WHERE session_pageviews = 1 AND session_interactions = 1) AS bounces,
    CAST(sum(duration_ms) AS BIGINT) AS duration_ms,
    CAST(sum(session_pageviews) AS BIGINT) AS session_pageviews,
    count(DISTINCT visitor_id) FILTER (WHERE is_converted = 1) AS conversions FROM valued GROUP BY value),
    counted AS (
    SELECT toString(referrer_source) AS value, count(*) FILTER (WHERE event_name = {p2:String}) AS pageviews, count(*) AS events, coalesce(sum(toInt128(assumeNotNull(revenue_amount))) FILTER (WHERE currency = {p5:String} AND revenue_amount IS NOT NULL), 0) AS revenue
    FROM (SELECT * FROM events WHERE day >= {p8:Int64} AND day <= {p9:Int64} AND NOT browser = {p6:String} AND pathname = {p7:String}) AS scoped
    GROUP BY value)
    SELECT
    value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions, revenue FROM described JOIN counted USING (value)) SELECT value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p10:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"EUR","p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":20513,"p9":20526,"p10":10}

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
    (timestamp, segment, row, matching, 1, toString(hostname), visitor_id, toString(event_name)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p3:String} AND pathname = {p4:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p7:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":1800000,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":20513,"p6":20526,"p7":10}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
  arrived AS (SELECT sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) AS number, extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)') AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64}) AS arriving GROUP BY ALL LIMIT {p3:Int64})
  SELECT number, host, source, medium, click FROM arrived;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":20001}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    WITH visits AS (
      SELECT visitor_id, arrayJoin(sessions) AS visit
      FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, coalesce(if(currency = {p5:String}, revenue_amount, 0), 0), toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))])),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8, is_goal UInt8,
      cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p6:String} AND pathname = {p7:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p8:Int64} AND day <= {p9:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
    ),
    valued AS (
      SELECT
        visitor_id,
        arrayCount(event -> event.is_interaction, visit) AS session_interactions,
        arrayCount(event -> event.is_pageview, visit) AS session_pageviews,
        visit[-1].ms - visit[1].ms AS duration_ms,
        arrayExists(event -> event.is_goal, visit) AS is_converted,
        arraySum(event -> toInt128(event.cents), visit) AS session_revenue,
        arrayJoin([visit[1].text]) AS value
      FROM visits
      WHERE arrayExists(event -> event.matching, visit)
    ),
    described AS (SELECT value,
    count(DISTINCT visitor_id) AS visitors,
    count(*) AS sessions,
    count(*) FILTER (WHERE session_pageviews = 1 AND session_interactions = 1) AS bounces,
    CAST(sum(duration_ms) AS BIGINT) AS duration_ms,
    CAST(sum(session_pageviews) AS BIGINT) AS session_pageviews,
    count(DISTINCT visitor_id) FILTER (WHERE is_converted = 1) AS conversions FROM valued GROUP BY value),
    counted AS (
    SELECT visit_value AS value, count(*) FILTER (WHERE event_name = {p2:String}) AS pageviews, count(*) AS events, coalesce(sum(toInt128(assumeNotNull(revenue_amount))) FILTER (WHERE currency = {p5:String} AND revenue_amount IS NOT NULL), 0) AS revenue
    FROM (
    SELECT event.of_visitor_id AS visitor_id, event.of_event_name AS event_name, event.of_currency AS currency, event.of_revenue_amount AS revenue_amount, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, matching, 1, toString(arrayMap(digits -> unhex(digits), splitByChar(',', '28756e6b6e6f776e29'))[transform(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)), CAST([], 'Array(UInt64)'), CAST([], 'Array(UInt32)'), toUInt32(1))]), visitor_id, toString(event_name), toString(currency), revenue_amount),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String, of_currency String, of_revenue_amount Nullable(Int64))'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p6:String} AND pathname = {p7:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p8:Int64} AND day <= {p9:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value)
    SELECT
    value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions, revenue FROM described JOIN counted USING (value)) SELECT value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p10:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"EUR","p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":20513,"p9":20526,"p10":10}

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
    (timestamp, segment, row, matching, 1, toString(if(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) IN (SELECT arrayJoin(CAST([], 'Array(UInt64)'))), toString(referrer), {p3:String})), visitor_id, toString(event_name)),
    'Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, of_visitor_id UInt64, of_event_name String)'))) AS ordered
    FROM (SELECT *, CASE WHEN (visitor_id, timestamp) IN (
    SELECT visitor_id, arrayJoin(arrayMap(event -> event.ms, visit)) AS ms
    FROM (SELECT visitor_id, arrayJoin(sessions) AS visit FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p2:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, bitShiftLeft(toInt64(sipHash64(extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)'), toString(utm_source), toString(utm_medium), toString(click_id)) IN (SELECT arrayJoin(CAST([], 'Array(UInt64)')))), {p4:Int64}) + bitShiftLeft(toInt64(utm_term = {p5:String}), {p6:Int64}), 1, event_name = {p1:String}, toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, met Int64, shared UInt8, is_pageview UInt8, path String)'))) AS ordered
    FROM (SELECT *, CASE WHEN true THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    WHERE NOT bitTest(visit[1].met, {p4:Int64}) AND NOT bitTest(visit[1].met, {p6:Int64})) THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories) AS visits
    ) AS visited_events) AS visited
    GROUP BY visit_value) SELECT value, visitors, pageviews, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p9:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":1800000,"p3":"(unknown)","p4":32,"p5":"shoes","p6":33,"p7":20513,"p8":20526,"p9":10}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    WITH visits AS (
      SELECT visitor_id, arrayJoin(sessions) AS visit
      FROM (
  SELECT
    visitor_id,
    arraySplit((event, pause_ms) -> pause_ms > {p1:Int64}, ordered, arrayDifference(arrayMap(event -> event.ms, ordered))) AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(CAST(
    (timestamp, segment, row, (event_name = {p2:String}), (event_name = {p2:String} OR interactive IS NULL), matching, 1,
      CASE WHEN (event_name = {p2:String} AND (pathname <> {p3:String} AND (match(pathname, {p4:String})))) THEN 1 ELSE 0 END, coalesce(if(currency = {p5:String}, revenue_amount, 0), 0), toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8, is_goal UInt8,
      cents Int64, text String)'))) AS ordered
    FROM (SELECT *, CASE WHEN NOT browser = {p6:String} AND pathname = {p7:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p8:Int64} AND day <= {p9:Int64}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories) AS histories
    ),
    valued AS (
      SELECT
        visitor_id,
        arrayCount(event -> event.is_interaction, visit) AS session_interactions,
        arrayCount(event -> event.is_pageview, visit) AS session_pageviews,
        visit[-1].ms - visit[1].ms AS duration_ms,
        arrayExists(event -> event.is_goal, visit) AS is_converted,
        arraySum(event -> toInt128(event.cents), visit) AS session_revenue,
        arrayJoin(arraySlice(arrayMap(event -> event.text, arrayFilter(event -> event.is_pageview, visit)), -1)) AS value
      FROM visits
      WHERE arrayExists(event -> event.matching, visit)
    ),
    described AS (SELECT value,
    count(DISTINCT visitor_id) AS visitors,
    count(*) AS sessions,
    count(*) FILTER (WHERE session_pageviews = 1 AND session_interactions = 1) AS bounces,
    CAST(sum(duration_ms) AS BIGINT) AS duration_ms,
    CAST(sum(session_pageviews) AS BIGINT) AS session_pageviews,
    count(DISTINCT visitor_id) FILTER (WHERE is_converted = 1) AS conversions FROM valued GROUP BY value),
    counted AS (
      SELECT value, count(*) AS pageviews, count(*) AS events, sum(session_revenue) AS revenue
      FROM valued
      GROUP BY value)
    SELECT
    value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions, revenue FROM described JOIN counted USING (value)) SELECT value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named ORDER BY named.conversions / named.visitors ASC, named.value ASC LIMIT {p10:Int64};
-- parameters: {"p0":"Site.test:8080","p1":1800000,"p2":"pageview","p3":"(unknown)","p4":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p5":"EUR","p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":20513,"p9":20526,"p10":10}
