WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT facet, coalesce(minute, 0) AS minute, coalesce(value, {p1:String}) AS value, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        minute,
        coalesce(page, source, country_code, event) AS value,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (
    SELECT visitor_id, country_code,
      timestamp >= {p2:Int64} AS is_recent,
      timestamp >= {p2:Int64} AS is_current,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN intDiv(timestamp, {p4:Int64}) END AS minute,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p3:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p2:Int64} AND event_name <> {p3:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p5:Int64} AND day <= {p5:Int64} AND NOT browser = {p6:String} AND pathname = {p7:String}) AS scoped
    WHERE timestamp >= {p2:Int64} AND timestamp <= {p8:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE minute IS NOT NULL OR value IS NOT NULL OR facet = {p9:Int64}) SELECT value, facet, minute, visitors, current_visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1773575700000,"p3":"pageview","p4":60000,"p5":20527,"p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p8":1773576000000,"p9":31}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT facet, coalesce(minute, 0) AS minute, coalesce(value, {p1:String}) AS value, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        minute,
        coalesce(page, source, country_code, event) AS value,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (
    SELECT visitor_id, country_code,
      timestamp >= {p2:Int64} AS is_recent,
      timestamp >= {p3:Int64} AS is_current,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p4:String} THEN intDiv(timestamp, {p5:Int64}) END AS minute,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p4:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p2:Int64} AND event_name = {p4:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p2:Int64} AND event_name <> {p4:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p6:Int64} AND day <= {p6:Int64} AND NOT browser = {p7:String} AND pathname = {p8:String}) AS scoped
    WHERE timestamp >= {p2:Int64} AND timestamp <= {p9:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE minute IS NOT NULL OR value IS NOT NULL OR facet = {p10:Int64}) SELECT value, facet, minute, visitors, current_visitors, events FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":"(unknown)","p2":1773574200000,"p3":1773575700000,"p4":"pageview","p5":60000,"p6":20527,"p7":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p8":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p9":1773576000000,"p10":31}
