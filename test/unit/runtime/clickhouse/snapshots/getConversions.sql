WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN (event_name = {p5:String} AND coalesce((props, {p5:String}) IN (
  SELECT props, if(startsWith(token, '"'), if(position(token, {p6:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
  FROM (
    SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p5:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p6:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p7:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p8:String}) AS pieces FROM (SELECT props FROM (SELECT props FROM events WHERE day >= {p9:Int64} AND day <= {p10:Int64}) AS carried WHERE props IS NOT NULL AND (position(props, {p11:String}) > 0 OR position(props, {p6:String}) > 0) GROUP BY props))))))))))
  ) AS tokens), false)) THEN CAST({p12:Int64} AS BIGINT) ELSE 0 END AS met FROM events WHERE day >= {p9:Int64} AND day <= {p10:Int64} AND NOT browser = {p5:String} AND pathname = {p13:String}) AS marked
    WHERE met <> 0) AS met_events
    GROUP BY goal) SELECT goal, visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"\\","p7":"^[\\s,]","p8":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p9":20513,"p10":20526,"p11":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p12":2,"p13":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND coalesce((props, {p1:String}) IN (
  SELECT props, if(startsWith(token, '"'), if(position(token, {p2:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
  FROM (
    SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p1:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p2:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p3:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p4:String}) AS pieces FROM (SELECT props FROM (SELECT props FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS carried WHERE props IS NOT NULL AND (position(props, {p7:String}) > 0 OR position(props, {p2:String}) > 0) GROUP BY props))))))))))
  ) AS tokens), false)) THEN CAST({p8:Int64} AS BIGINT) ELSE 0 END AS met FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64} AND NOT browser = {p1:String} AND pathname = {p9:String}) AS marked
    WHERE met <> 0) AS met_events
    WHERE revenue_amount IS NOT NULL
    GROUP BY goal, currency) SELECT currency, goal, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p2":"\\","p3":"^[\\s,]","p4":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p5":20513,"p6":20526,"p7":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p8":1,"p9":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN (event_name = {p5:String} AND coalesce((props, {p5:String}) IN (
  SELECT props, if(startsWith(token, '"'), if(position(token, {p6:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
  FROM (
    SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p5:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p6:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p7:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p8:String}) AS pieces FROM (SELECT props FROM (SELECT props FROM events WHERE day >= {p9:Int64} AND day <= {p10:Int64}) AS carried WHERE props IS NOT NULL AND (position(props, {p11:String}) > 0 OR position(props, {p6:String}) > 0) GROUP BY props))))))))))
  ) AS tokens), false)) THEN CAST({p12:Int64} AS BIGINT) ELSE 0 END AS met FROM events WHERE day >= {p9:Int64} AND day <= {p10:Int64} AND NOT browser = {p5:String} AND pathname = {p13:String}) AS marked
    WHERE met <> 0) AS met_events
    GROUP BY goal) SELECT goal, visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"\\","p7":"^[\\s,]","p8":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p9":20513,"p10":20526,"p11":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p12":2,"p13":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND coalesce((props, {p1:String}) IN (
  SELECT props, if(startsWith(token, '"'), if(position(token, {p2:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
  FROM (
    SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p1:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p2:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p3:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p4:String}) AS pieces FROM (SELECT props FROM (SELECT props FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS carried WHERE props IS NOT NULL AND (position(props, {p7:String}) > 0 OR position(props, {p2:String}) > 0) GROUP BY props))))))))))
  ) AS tokens), false)) THEN CAST({p8:Int64} AS BIGINT) ELSE 0 END AS met FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64} AND NOT browser = {p1:String} AND pathname = {p9:String}) AS marked
    WHERE met <> 0) AS met_events
    WHERE revenue_amount IS NOT NULL
    GROUP BY goal, currency) SELECT currency, goal, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p2":"\\","p3":"^[\\s,]","p4":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p5":20513,"p6":20526,"p7":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p8":1,"p9":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20499,"p3":20512,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND (pathname <> {p2:String} AND (match(pathname, {p3:String})))) THEN CAST({p4:Int64} AS BIGINT) ELSE 0 END + CASE WHEN (event_name = {p5:String} AND coalesce((props, {p5:String}) IN (
  SELECT props, if(startsWith(token, '"'), if(position(token, {p6:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
  FROM (
    SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p5:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p6:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p7:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p8:String}) AS pieces FROM (SELECT props FROM (SELECT props FROM events WHERE day >= {p9:Int64} AND day <= {p10:Int64}) AS carried WHERE props IS NOT NULL AND (position(props, {p11:String}) > 0 OR position(props, {p6:String}) > 0) GROUP BY props))))))))))
  ) AS tokens), false)) THEN CAST({p12:Int64} AS BIGINT) ELSE 0 END AS met FROM events WHERE day >= {p9:Int64} AND day <= {p10:Int64} AND NOT browser = {p5:String} AND pathname = {p13:String}) AS marked
    WHERE met <> 0) AS met_events
    GROUP BY goal) SELECT goal, visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"(unknown)","p3":"(?s)^/Zq7'%22%60%7Bp0:String%7D.*%_/%20--%20//%20$","p4":1,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"\\","p7":"^[\\s,]","p8":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p9":20499,"p10":20512,"p11":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p12":2,"p13":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT CAST(goal AS BIGINT) AS goal, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (
    SELECT arrayJoin(bitPositionsToArray(met)) AS goal, visitor_id, currency, revenue_amount
    FROM (SELECT visitor_id, currency, revenue_amount, CASE WHEN (event_name = {p1:String} AND coalesce((props, {p1:String}) IN (
  SELECT props, if(startsWith(token, '"'), if(position(token, {p2:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value
  FROM (
    SELECT props, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p1:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p2:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p3:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p4:String}) AS pieces FROM (SELECT props FROM (SELECT props FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64}) AS carried WHERE props IS NOT NULL AND (position(props, {p7:String}) > 0 OR position(props, {p2:String}) > 0) GROUP BY props))))))))))
  ) AS tokens), false)) THEN CAST({p8:Int64} AS BIGINT) ELSE 0 END AS met FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64} AND NOT browser = {p1:String} AND pathname = {p9:String}) AS marked
    WHERE met <> 0) AS met_events
    WHERE revenue_amount IS NOT NULL
    GROUP BY goal, currency) SELECT currency, goal, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p2":"\\","p3":"^[\\s,]","p4":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p5":20499,"p6":20512,"p7":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p8":1,"p9":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}
