WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT DISTINCT arrayJoin(arrayFilter((path, token) -> (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), paths, tokens)) AS value
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p1:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p2:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p3:String}) AS pieces FROM (SELECT props FROM (SELECT * FROM events WHERE day >= {p4:Int64} AND day <= {p5:Int64} AND NOT browser = {p6:String} AND pathname = {p7:String}) AS scoped WHERE props IS NOT NULL GROUP BY props)))))))))) AS read
    ORDER BY value LIMIT {p8:Int64}) SELECT value FROM (SELECT * FROM totals) AS named ORDER BY named.value ASC LIMIT {p8:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"\\","p2":"^[\\s,]","p3":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p4":20513,"p5":20526,"p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":1000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT DISTINCT arrayJoin(arrayFilter((path, token) -> (token NOT IN ('null', '"(unknown)"', '{') AND NOT (position(token, '\\') > 0 AND JSONExtractString(token) = '(unknown)')), paths, tokens)) AS value
    FROM (SELECT *,
    arrayMap(
      (depth, place) -> arrayStringConcat(
        arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
        '.'
      ),
      depths, places
    ) AS paths FROM (SELECT *, arrayMap(quoted -> if(position(quoted, {p1:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys, arrayEnumerate(depths) AS places FROM (SELECT *,
    arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
    arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
    arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths FROM (SELECT *, arrayShiftLeft(marked, 1) AS following FROM (SELECT *, arrayFilter(piece -> NOT match(piece, {p2:String}), joined) AS marked FROM (SELECT *, arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined FROM (SELECT *, arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed FROM (SELECT *, arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets FROM (SELECT *, extractAll(assumeNotNull(props), {p3:String}) AS pieces FROM (SELECT props FROM (SELECT * FROM events WHERE day >= {p4:Int64} AND day <= {p5:Int64} AND NOT browser = {p6:String} AND pathname = {p7:String}) AS scoped WHERE props IS NOT NULL GROUP BY props)))))))))) AS read
    ) SELECT value FROM (SELECT * FROM totals WHERE (totals.value <> {p8:String} AND (position(replaceAll(lowerUTF8(totals.value), {p9:String}, {p10:String}), {p11:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p9:String}, {p10:String}), {p12:String}) > 0 OR position(replaceAll(lowerUTF8(totals.value), {p9:String}, {p10:String}), {p13:String}) > 0))) AS named ORDER BY named.value ASC LIMIT {p14:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"\\","p2":"^[\\s,]","p3":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p4":20513,"p5":20526,"p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":"(unknown)","p9":"ς","p10":"σ","p11":"zq7'\"`{p0:string}*%_\\ -- // ?:é","p12":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%a9","p13":"zq7'%22%60%7bp0:string%7d*%_%5c%20--%20//%20?:%c3%89","p14":1000}
