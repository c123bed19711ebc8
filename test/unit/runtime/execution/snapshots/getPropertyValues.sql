WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      SELECT if(startsWith(token, '"'), if(position(token, {p1:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value, uniqExactMerge(visitor_set) AS visitors, sum(event_count) AS events
      FROM (SELECT visitor_set, event_count, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p2:String} AND (token NOT IN ('null', '{')), tokens, paths), -1)) AS token FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p3:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p4:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p5:String}) AS pieces FROM (
      SELECT props, uniqExactState(visitor_id) AS visitor_set, count(*) AS event_count
      FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64} AND NOT browser = {p8:String} AND pathname = {p9:String}) AS scoped
      WHERE (position(props, {p10:String}) > 0 OR position(props, {p11:String}) > 0) AND true
      GROUP BY props))))))))))) AS read
      GROUP BY value) SELECT value, visitors, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p12:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"\\","p2":"plan","p3":"\\","p4":"^[\\s,]","p5":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p6":20513,"p7":20526,"p8":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p9":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":"plan\"","p11":"\\","p12":1000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      SELECT if(startsWith(token, '"'), if(position(token, {p1:String}) = 0, substring(token, 2, length(token) - 2), JSONExtractString(token)), token) AS value, uniqExactMerge(visitor_set) AS visitors, sum(event_count) AS events
      FROM (SELECT visitor_set, event_count, arrayJoin(arraySlice(arrayFilter((token, path) -> path = {p2:String} AND (token NOT IN ('null', '{')), tokens, paths), -1)) AS token FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p3:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p4:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p5:String}) AS pieces FROM (
      SELECT props, uniqExactState(visitor_id) AS visitor_set, count(*) AS event_count
      FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p7:Int64} AND NOT browser = {p8:String} AND pathname = {p9:String}) AS scoped
      WHERE (position(props, {p10:String}) > 0 OR position(props, {p11:String}) > 0) AND event_name = {p12:String}
      GROUP BY props))))))))))) AS read
      GROUP BY value) SELECT value, visitors, events FROM (SELECT * FROM totals WHERE (totals.value <> {p13:String} AND (position(replaceAll(lowerUTF8(totals.value), {p14:String}, {p15:String}), {p16:String}) > 0))) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p17:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"\\","p2":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p3":"\\","p4":"^[\\s,]","p5":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p6":20513,"p7":20526,"p8":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p9":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p10":"Zq7'\\\"`{p0:String}*%_\\\\ -- // ?:é\"","p11":"\\","p12":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p13":"(unknown)","p14":"ς","p15":"σ","p16":"zq7'\"`{p0:string}*%_\\ -- // ?:é","p17":1000}
