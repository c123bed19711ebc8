WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    WITH
  extractAll(assumeNotNull(props), {p1:String}) AS pieces,
  arrayMap(piece -> (piece = '[') - (piece = ']'), pieces) AS brackets,
  arrayMap((depth, bracket) -> depth > bracket, arrayCumSum(brackets), brackets) AS listed,
  arrayMap(parts -> arrayStringConcat(parts), arraySplit((piece, is_listed) -> NOT is_listed, pieces, listed)) AS joined,
  arrayFilter(piece -> NOT match(piece, {p2:String}), joined) AS marked,
  arrayShiftLeft(marked, 1) AS following,
  arrayFilter((piece, next) -> next = ':', marked, following) AS quoted_keys,
  arrayFilter((piece, next) -> next = ':', arrayShiftLeft(marked, 2), following) AS tokens,
  arrayFilter((depth, next) -> next = ':', arrayCumSum(piece -> (piece = '{') - (piece = '}'), marked), following) AS depths,
  arrayMap(quoted -> if(position(quoted, {p3:String}) = 0, substring(quoted, 2, length(quoted) - 2), JSONExtractString(quoted)), quoted_keys) AS own_keys,
  arrayEnumerate(depths) AS places,
  arrayMap(
    (depth, place) -> arrayStringConcat(
      arrayMap(level -> own_keys[arrayLastIndex((other, at) -> other = level AND at <= place, depths, places)], range(1, depth + 1)),
      '.'
    ),
    depths, places
  ) AS paths
    SELECT DISTINCT arrayJoin(arrayFilter((path, token) -> (token NOT IN ('null', '{')), paths, tokens)) AS value
    FROM (SELECT props FROM (SELECT * FROM events WHERE day >= {p4:Int64} AND day <= {p5:Int64} AND browser <> {p6:String} AND pathname = {p7:String}) AS scoped WHERE props IS NOT NULL GROUP BY props) AS carried
    ORDER BY value
    LIMIT {p8:Int64}) SELECT value FROM (SELECT * FROM totals) AS named ORDER BY named.value ASC LIMIT {p9:Int64};
-- parameters: {"p0":"Site.test:8080","p1":"\"(?:[^\"\\\\]|\\\\.)*\"|[:{}[\\]]|[\\s,]+|[^\\s:,{}[\\]\"]+","p2":"^[\\s,]","p3":"\\","p4":20513,"p5":20526,"p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p8":1000,"p9":1000}
