WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p5:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p10:Int64})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT arrayMap(value -> if(length(history) <= {p11:Int64}, value, toInt64({p12:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p13:String}, arrayMap((ms, place) -> toUInt64(ms * {p14:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p15:Int64}), searched.met), arrayMap(met -> bitTest(met, {p4:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p11:Int64}, length(history), 0))])[1]])[1] AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p10":3,"p11":70,"p12":-1,"p13":"sequenceCount('(?1).*(?2)')","p14":1048576,"p15":0}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p5:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p10:Int64})
    SELECT
      arrayStringConcat(arrayMap(event -> toString(event.ms - history[1].ms), history), ' ') AS times,
      arrayStringConcat(arrayMap(event -> toString(event.met), history), ' ') AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % {p4:Int64} = {p11:Int64}) AS portion
    WHERE arrayMap(value -> if(length(history) <= {p12:Int64}, value, toInt64({p13:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p14:String}, arrayMap((ms, place) -> toUInt64(ms * {p15:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p11:Int64}), searched.met), arrayMap(met -> bitTest(met, {p4:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p12:Int64}, length(history), 0))])[1]])[1] = {p13:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p10":3,"p11":0,"p12":70,"p13":-1,"p14":"sequenceCount('(?1).*(?2)')","p15":1048576}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p5:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p10:Int64})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT arrayMap(value -> if(length(history) <= {p11:Int64}, value, toInt64({p12:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p13:String}, arrayMap((ms, place) -> toUInt64(ms * {p14:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p15:Int64}), searched.met), arrayMap(met -> bitTest(met, {p4:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p11:Int64}, length(history), 0))])[1]])[1] AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p10":3,"p11":70,"p12":-1,"p13":"sequenceCount('(?1)(?t<=3774874124288)(?2)')","p14":1048576,"p15":0}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p5:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p10:Int64})
    SELECT
      arrayStringConcat(arrayMap(event -> toString(event.ms - history[1].ms), history), ' ') AS times,
      arrayStringConcat(arrayMap(event -> toString(event.met), history), ' ') AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % {p4:Int64} = {p11:Int64}) AS portion
    WHERE arrayMap(value -> if(length(history) <= {p12:Int64}, value, toInt64({p13:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p14:String}, arrayMap((ms, place) -> toUInt64(ms * {p15:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p11:Int64}), searched.met), arrayMap(met -> bitTest(met, {p4:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p12:Int64}, length(history), 0))])[1]])[1] = {p13:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p10":3,"p11":0,"p12":70,"p13":-1,"p14":"sequenceCount('(?1)(?t<=3774874124288)(?2)')","p15":1048576}
