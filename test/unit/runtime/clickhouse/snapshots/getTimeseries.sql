WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, intDiv(timestamp, {p2:Int64}) AS bucket FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND NOT browser = {p5:String} AND pathname = {p6:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":3600000,"p3":20513,"p4":20526,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT visitor_id, event_name, day AS bucket FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events, coalesce(sum(toInt128(assumeNotNull(revenue_amount))) FILTER (WHERE currency = {p2:String} AND revenue_amount IS NOT NULL), 0) AS revenue
    FROM (SELECT visitor_id, event_name, revenue_amount, currency, day AS bucket FROM (SELECT * FROM events WHERE day >= {p3:Int64} AND day <= {p4:Int64} AND NOT browser = {p5:String} AND pathname = {p6:String}) AS scoped) AS placed
    GROUP BY bucket) SELECT bucket, visitors, pageviews, events, CAST(revenue AS VARCHAR) AS revenue FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":"EUR","p3":20513,"p4":20526,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}
