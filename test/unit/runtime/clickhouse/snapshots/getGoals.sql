WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT event_name AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE event_name <> {p5:String}
    GROUP BY event_name) SELECT value, visitors, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":"pageview","p6":1000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20513,"p3":20526,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT event_name AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE event_name <> {p5:String}
    GROUP BY event_name) SELECT value, visitors, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":"pageview","p6":1000}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE event_name = {p1:String}) AS pageviews, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p2:Int64} AND day <= {p3:Int64} AND NOT browser = {p4:String} AND pathname = {p5:String}) AS scoped) SELECT visitors, pageviews, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"pageview","p2":20499,"p3":20512,"p4":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p5":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT event_name AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS events
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE event_name <> {p5:String}
    GROUP BY event_name) SELECT value, visitors, events FROM (SELECT * FROM totals) AS named ORDER BY named.visitors DESC, named.value ASC LIMIT {p6:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20499,"p2":20512,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":"pageview","p6":1000}
