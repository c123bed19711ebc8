WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (SELECT count(DISTINCT visitor_id) AS visitors FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND browser <> {p3:String} AND pathname = {p4:String}) AS scoped WHERE (event_name = {p5:String} AND match(pathname, {p6:String}))) SELECT visitors FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"pageview","p6":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND match(pathname, {p2:String})) THEN CAST({p3:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p4:String} THEN CAST({p5:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64} AND browser <> {p8:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p11:Int64})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT toInt64(arrayReduce({p12:String}, arrayMap((ms, place) -> toUInt64(ms * {p13:Int64} + place), history.ms, arrayEnumerateUniq(history.ms)), arrayMap(met -> bitTest(met, {p14:Int64}), history.met), arrayMap(met -> bitTest(met, {p15:Int64}), history.met))) AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p3":1,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":2,"p6":20513,"p7":20526,"p8":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p9":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":3,"p11":3,"p12":"windowFunnel(90596966924288)","p13":1048576,"p14":0,"p15":1}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND match(pathname, {p2:String})) THEN CAST({p3:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p4:String} THEN CAST({p5:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64} AND browser <> {p8:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE met <> 0
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p11:Int64})
    SELECT
      arrayStringConcat(arrayMap(event -> toString(event.ms - history[1].ms), history), ' ') AS times,
      arrayStringConcat(arrayMap(event -> toString(event.met), history), ' ') AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % {p12:Int64} = {p13:Int64}) AS portion
    WHERE toInt64(arrayReduce({p14:String}, arrayMap((ms, place) -> toUInt64(ms * {p15:Int64} + place), history.ms, arrayEnumerateUniq(history.ms)), arrayMap(met -> bitTest(met, {p16:Int64}), history.met), arrayMap(met -> bitTest(met, {p17:Int64}), history.met))) = {p18:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p3":1,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":2,"p6":20513,"p7":20526,"p8":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p9":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":3,"p11":3,"p12":1,"p13":0,"p14":"windowFunnel(90596966924288)","p15":1048576,"p16":0,"p17":1,"p18":-1}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (SELECT count(DISTINCT visitor_id) AS visitors FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND browser <> {p3:String} AND pathname = {p4:String}) AS scoped WHERE (event_name = {p5:String} AND match(pathname, {p6:String}))) SELECT visitors FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"pageview","p6":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND match(pathname, {p2:String})) THEN CAST({p3:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p4:String} THEN CAST({p5:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64} AND browser <> {p8:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE true
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p11:Int64})
    SELECT value, count(*) AS visitors, sum(events) AS events
    FROM (SELECT arrayMap(value -> if(value <= 1, value, toInt64({p12:Int64})), [arrayMap(descending -> toInt64(arrayReduce({p13:String}, arrayMap((ms, place) -> toUInt64(ms * {p14:Int64} + place), descending.ms, arrayEnumerateUniq(descending.ms)), arrayMap(one -> one.bit = {p15:Int64}, descending), arrayMap(one -> one.bit = {p16:Int64}, descending))), [arraySort(one -> (one.ms, -one.bit), arrayFlatten(
  arrayMap(event -> arrayMap(bit -> CAST((event.ms, bit), 'Tuple(ms Int64, bit Int16)'), bitPositionsToArray(event.met)), history)))])[1]])[1] AS value, length(history) AS events FROM histories) AS valued
    GROUP BY value;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p3":1,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":2,"p6":20513,"p7":20526,"p8":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p9":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":3,"p11":3,"p12":-1,"p13":"windowFunnel(181193933324288)","p14":1048576,"p15":0,"p16":1}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}),
    histories AS (
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, CASE WHEN (event_name = {p1:String} AND match(pathname, {p2:String})) THEN CAST({p3:Int64} AS BIGINT) ELSE 0 END + CASE WHEN event_name = {p4:String} THEN CAST({p5:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64} AND browser <> {p8:String} AND pathname = {p9:String}) AS scoped) AS marked
    WHERE true
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), {p10:Int64}) = {p11:Int64})
    SELECT
      arrayStringConcat(arrayMap(event -> toString(event.ms - history[1].ms), history), ' ') AS times,
      arrayStringConcat(arrayMap(event -> toString(event.met), history), ' ') AS conditions
    FROM (SELECT * FROM histories WHERE intHash64(visitor_id) % {p12:Int64} = {p13:Int64}) AS portion
    WHERE arrayMap(value -> if(value <= 1, value, toInt64({p14:Int64})), [arrayMap(descending -> toInt64(arrayReduce({p15:String}, arrayMap((ms, place) -> toUInt64(ms * {p16:Int64} + place), descending.ms, arrayEnumerateUniq(descending.ms)), arrayMap(one -> one.bit = {p17:Int64}, descending), arrayMap(one -> one.bit = {p18:Int64}, descending))), [arraySort(one -> (one.ms, -one.bit), arrayFlatten(
  arrayMap(event -> arrayMap(bit -> CAST((event.ms, bit), 'Tuple(ms Int64, bit Int16)'), bitPositionsToArray(event.met)), history)))])[1]])[1] = {p19:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p3":1,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":2,"p6":20513,"p7":20526,"p8":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p9":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":3,"p11":3,"p12":1,"p13":0,"p14":-1,"p15":"windowFunnel(181193933324288)","p16":1048576,"p17":0,"p18":1,"p19":-1}
