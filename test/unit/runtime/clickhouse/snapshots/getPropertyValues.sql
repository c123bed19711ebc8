WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      SELECT if(startsWith(token, '"'), if(position(token, {p1:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value, uniqExactMerge(visitor_set) AS visitors, sum(event_count) AS events
      FROM (SELECT visitor_set, event_count, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p2:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p1:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p3:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p4:String}) AS pieces FROM (
      SELECT props, uniqExactState(visitor_id) AS visitor_set, count(*) AS event_count
      FROM (SELECT * FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64} AND NOT browser = {p7:String} AND pathname = {p8:String}) AS scoped
      WHERE (position(props, {p9:String}) > 0 OR position(props, {p1:String}) > 0) AND true
      GROUP BY props))))))))))) AS read
      GROUP BY value) SELECT value, visitors, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p10:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"\\","p2":"plan","p3":"^[\\s,]","p4":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p5":20513,"p6":20526,"p7":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p8":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p9":"plan\"","p10":1000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      SELECT if(startsWith(token, '"'), if(position(token, {p1:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value, uniqExactMerge(visitor_set) AS visitors, sum(event_count) AS events
      FROM (SELECT visitor_set, event_count, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p2:String} AND (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), tokens, paths), -1)) AS token FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p1:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p3:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p4:String}) AS pieces FROM (
      SELECT props, uniqExactState(visitor_id) AS visitor_set, count(*) AS event_count
      FROM (SELECT * FROM events WHERE day >= {p5:Int64} AND day <= {p6:Int64} AND NOT browser = {p2:String} AND pathname = {p7:String}) AS scoped
      WHERE (position(props, {p8:String}) > 0 OR position(props, {p1:String}) > 0) AND event_name = {p2:String}
      GROUP BY props))))))))))) AS read
      GROUP BY value) SELECT value, visitors, events FROM (SELECT * FROM totals WHERE (totals.value <> {p9:String} AND (position(replaceAll(lowerUTF8(totals.value), {p10:String}, {p11:String}), {p12:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p10:String}, {p11:String}), {p13:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p10:String}, {p11:String}), {p14:String}) > 0))) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p15:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"\\","p2":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p3":"^[\\s,]","p4":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p5":20513,"p6":20526,"p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p9":"(unknown)","p10":"ς","p11":"σ","p12":"zq7'\"`{p0:string}*%_\\ -- // ?:é","p13":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%a9","p14":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%89","p15":1000}
