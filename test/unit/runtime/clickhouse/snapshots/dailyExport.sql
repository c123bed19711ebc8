WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND pathname = {p4:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    WITH counted AS (
      SELECT day, value, count(DISTINCT visitor_id) AS visitors
      FROM (SELECT *, pathname AS value FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND pathname = {p3:String}) AS scoped) AS valued
      WHERE event_name = {p4:String}
      GROUP BY ALL
    ),
    ranked AS (SELECT day, value, rank() OVER (PARTITION BY day ORDER BY visitors DESC) AS place FROM counted)
    SELECT day, value FROM ranked WHERE place = 1) SELECT value, day FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p4":"pageview"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    WITH counted AS (
      SELECT day, value, count(DISTINCT visitor_id) AS visitors
      FROM (SELECT *, referrer_source AS value FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND pathname = {p3:String}) AS scoped) AS valued
      WHERE event_name = {p4:String}
      GROUP BY ALL
    ),
    ranked AS (SELECT day, value, rank() OVER (PARTITION BY day ORDER BY visitors DESC) AS place FROM counted)
    SELECT day, value FROM ranked WHERE place = 1) SELECT value, day FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p4":"pageview"}
