WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT facet, code, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        coalesce(toString(minute), page, source, country_code, event) AS code,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (
    SELECT visitor_id, country_code,
      timestamp >= {p1:Int64} AS is_recent,
      timestamp >= {p1:Int64} AS is_current,
      CASE WHEN timestamp >= {p1:Int64} AND event_name = {p2:String} THEN intDiv(timestamp, {p3:Int64}) END AS minute,
      CASE WHEN timestamp >= {p1:Int64} AND event_name = {p2:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p1:Int64} AND event_name = {p2:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p1:Int64} AND event_name <> {p2:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p4:Int64} AND day <= {p4:Int64} AND NOT browser = {p5:String} AND pathname = {p6:String}) AS scoped
    WHERE timestamp >= {p1:Int64} AND timestamp <= {p7:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE code IS NOT NULL OR facet = {p8:Int64})
    SELECT facet, code, value, visitors, current_visitors, events
    FROM (
      SELECT *, row_number() OVER (PARTITION BY facet ORDER BY visitors DESC, value ASC) AS place
      FROM (
        SELECT *, if(code = '(unknown)', CASE WHEN facet = {p9:Int64} THEN '(direct)' ELSE '(unknown)' END, code) AS value FROM totals
      ) AS named
    ) AS ranked
    WHERE facet = {p8:Int64}
      OR (visitors > 0 AND (facet = {p10:Int64} OR place <= {p11:Int64}
        OR (facet = {p12:Int64} AND place <= {p13:Int64})))
    ORDER BY facet, place;
-- parameters: {"p0":"Site.test:8080","p1":1773575700000,"p2":"pageview","p3":60000,"p4":20527,"p5":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p6":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":1773576000000,"p8":31,"p9":27,"p10":15,"p11":10,"p12":29,"p13":300}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT facet, code, visitors, current_visitors, events
    FROM (
      SELECT GROUPING(minute, page, source, country_code, event) AS facet,
        coalesce(toString(minute), page, source, country_code, event) AS code,
        count(DISTINCT visitor_id) FILTER (WHERE is_recent) AS visitors,
        count(DISTINCT visitor_id) FILTER (WHERE is_current) AS current_visitors,
        count(*) FILTER (WHERE is_recent) AS events
      FROM (
    SELECT visitor_id, country_code,
      timestamp >= {p1:Int64} AS is_recent,
      timestamp >= {p2:Int64} AS is_current,
      CASE WHEN timestamp >= {p1:Int64} AND event_name = {p3:String} THEN intDiv(timestamp, {p4:Int64}) END AS minute,
      CASE WHEN timestamp >= {p1:Int64} AND event_name = {p3:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p1:Int64} AND event_name = {p3:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p1:Int64} AND event_name <> {p3:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p5:Int64} AND day <= {p5:Int64} AND NOT browser = {p6:String} AND pathname = {p7:String}) AS scoped
    WHERE timestamp >= {p1:Int64} AND timestamp <= {p8:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE code IS NOT NULL OR facet = {p9:Int64})
    SELECT facet, code, value, visitors, current_visitors, events
    FROM (
      SELECT *, row_number() OVER (PARTITION BY facet ORDER BY visitors DESC, value ASC) AS place
      FROM (
        SELECT *, if(code = '(unknown)', CASE WHEN facet = {p10:Int64} THEN '(direct)' ELSE '(unknown)' END, code) AS value FROM totals
      ) AS named
    ) AS ranked
    WHERE facet = {p9:Int64}
      OR (visitors > 0 AND (facet = {p11:Int64} OR place <= {p12:Int64}
        OR (facet = {p13:Int64} AND place <= {p14:Int64})))
    ORDER BY facet, place;
-- parameters: {"p0":"Site.test:8080","p1":1773574200000,"p2":1773575700000,"p3":"pageview","p4":60000,"p5":20527,"p6":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p7":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p8":1773576000000,"p9":31,"p10":27,"p11":15,"p12":10,"p13":29,"p14":300}
