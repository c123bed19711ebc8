WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p9:String} AND pathname = {p10:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p11:Int64}) = {p12:Int64})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT arrayMap(value -> if(length(history) <= {p13:Int64}, value, toInt64({p14:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p15:String}, arrayMap((ms, place) -> toUInt64(ms * {p16:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p17:Int64}), searched.met), arrayMap(met -> bitTest(met, {p18:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p19:Int64}, length(history), 0))])[1]])[1] AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p11":3,"p12":3,"p13":70,"p14":-1,"p15":"sequenceCount('(?1).*(?2)')","p16":1048576,"p17":0,"p18":1,"p19":70}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p9:String} AND pathname = {p10:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p11:Int64}) = {p12:Int64})
    SELECT
      arrayStringConcat(arrayMap(event -> toString(event.ms - history[1].ms), history), ' ') AS times,
      arrayStringConcat(arrayMap(event -> toString(event.met), history), ' ') AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % {p13:Int64} = {p14:Int64}) AS portion
    WHERE arrayMap(value -> if(length(history) <= {p15:Int64}, value, toInt64({p16:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p17:String}, arrayMap((ms, place) -> toUInt64(ms * {p18:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p19:Int64}), searched.met), arrayMap(met -> bitTest(met, {p20:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p21:Int64}, length(history), 0))])[1]])[1] = {p22:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p11":3,"p12":3,"p13":1,"p14":0,"p15":70,"p16":-1,"p17":"sequenceCount('(?1).*(?2)')","p18":1048576,"p19":0,"p20":1,"p21":70,"p22":-1}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p9:String} AND pathname = {p10:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p11:Int64}) = {p12:Int64})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT arrayMap(value -> if(length(history) <= {p13:Int64}, value, toInt64({p14:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p15:String}, arrayMap((ms, place) -> toUInt64(ms * {p16:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p17:Int64}), searched.met), arrayMap(met -> bitTest(met, {p18:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p19:Int64}, length(history), 0))])[1]])[1] AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p11":3,"p12":3,"p13":70,"p14":-1,"p15":"sequenceCount('(?1)(?t<=3774874124288)(?2)')","p16":1048576,"p17":0,"p18":1,"p19":70}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p5:String} THEN CAST({p6:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p9:String} AND pathname = {p10:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p11:Int64}) = {p12:Int64})
    SELECT
      arrayStringConcat(arrayMap(event -> toString(event.ms - history[1].ms), history), ' ') AS times,
      arrayStringConcat(arrayMap(event -> toString(event.met), history), ' ') AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % {p13:Int64} = {p14:Int64}) AS portion
    WHERE arrayMap(value -> if(length(history) <= {p15:Int64}, value, toInt64({p16:Int64})), [arrayMap(searched -> toInt64(arrayReduce({p17:String}, arrayMap((ms, place) -> toUInt64(ms * {p18:Int64} + place), searched.ms, arrayEnumerateUniq(searched.ms)), arrayMap(met -> bitTest(met, {p19:Int64}), searched.met), arrayMap(met -> bitTest(met, {p20:Int64}), searched.met))), [arraySlice(history, 1, if(length(history) <= {p21:Int64}, length(history), 0))])[1]])[1] = {p22:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":2,"p7":20513,"p8":20526,"p9":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p11":3,"p12":3,"p13":1,"p14":0,"p15":70,"p16":-1,"p17":"sequenceCount('(?1)(?t<=3774874124288)(?2)')","p18":1048576,"p19":0,"p20":1,"p21":70,"p22":-1}
