WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
      WITH sighted AS (
        SELECT visitor_id, day, matching, day >= {p1:Int64} AS ranged,
          greatest(intDiv(day + {p2:Int64}, {p3:Int64}) - {p4:Int64}, 0) AS week
        FROM (SELECT *, CASE WHEN NOT browser = {p5:String} AND pathname = {p6:String} THEN 1 ELSE 0 END AS matching FROM events WHERE day >= {p1:Int64} AND day <= {p7:Int64}) AS known
      ),
      visitors AS (
        SELECT
          min(week) AS week,
          min(day) AS first_day,
          groupBitOr(bitShiftLeft(toUInt64(ranged AND matching = 1), week)) AS seen
        FROM sighted
        GROUP BY visitor_id
      )
      SELECT week + {p4:Int64} AS week, bitAnd(bitShiftRight(seen, week), {p8:Int64}) AS kept, count(*) AS visitors
      FROM visitors
      WHERE first_day >= {p1:Int64} AND bitTest(seen, week)
      GROUP BY ALL) SELECT week, kept, visitors FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":3,"p3":7,"p4":2930,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p7":20526,"p8":15}
