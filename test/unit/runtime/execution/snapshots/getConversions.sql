WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN (event_name = {p5:String} AND coalesce(props IN (
  SELECT props
  FROM (
    SELECT props, if(startsWith(token, '"'), if(position(token, {p6:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
    FROM (
      SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p7:String} AND (token NOT IN ('null', '{')), tokens, paths), -1)) AS token
      FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p8:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p9:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p10:String}) AS pieces FROM (SELECT props FROM (SELECT * FROM events WHERE day >= {p11:Int64} AND day <= {p12:Int64} AND NOT browser = {p13:String} AND pathname = {p14:String}) AS carried WHERE props IS NOT NULL AND (position(props, {p15:String}) > 0 OR position(props, {p16:String}) > 0) GROUP BY props))))))))))
    ) AS tokens
  ) AS valued
  WHERE (value = {p17:String})), false)) THEN CAST({p18:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p19:Int64} AND day <= {p20:Int64} AND NOT browser = {p21:String} AND pathname = {p22:String}) AS scoped) AS marked
    WHERE met <> 0) AS met_events
    GROUP BY goal) SELECT goal, visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'\"`\\{p0:String\\}.*%_\\\\ -- // \\?:é$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"\\","p7":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p8":"\\","p9":"^[\\s,]","p10":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p11":20513,"p12":20526,"p13":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p14":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p15":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p16":"\\","p17":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p18":2,"p19":20513,"p20":20526,"p21":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p22":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND coalesce(props IN (
  SELECT props
  FROM (
    SELECT props, if(startsWith(token, '"'), if(position(token, {p2:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
    FROM (
      SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p3:String} AND (token NOT IN ('null', '{')), tokens, paths), -1)) AS token
      FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p4:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p5:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p6:String}) AS pieces FROM (SELECT props FROM (SELECT * FROM events WHERE day >= {p7:Int64} AND day <= {p8:Int64} AND NOT browser = {p9:String} AND pathname = {p10:String}) AS carried WHERE props IS NOT NULL AND (position(props, {p11:String}) > 0 OR position(props, {p12:String}) > 0) GROUP BY props))))))))))
    ) AS tokens
  ) AS valued
  WHERE (value = {p13:String})), false)) THEN CAST({p14:Int64} AS BIGINT) ELSE 0 END AS met FROM (SELECT * FROM events WHERE day >= {p15:Int64} AND day <= {p16:Int64} AND NOT browser = {p17:String} AND pathname = {p18:String}) AS scoped) AS marked
    WHERE met <> 0) AS met_events
    WHERE revenue_amount IS NOT NULL
    GROUP BY goal, currency) SELECT currency, goal, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named ORDER BY named.total DESC, named.currency ASC LIMIT {p19:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p2":"\\","p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"\\","p5":"^[\\s,]","p6":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p7":20513,"p8":20526,"p9":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p11":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p12":"\\","p13":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p14":1,"p15":20513,"p16":20526,"p17":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p18":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p19":5000}
