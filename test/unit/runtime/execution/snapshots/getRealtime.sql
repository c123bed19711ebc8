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
      CASE WHEN timestamp >= {p3:Int64} AND event_name = {p4:String} THEN intDiv(timestamp, {p5:Int64}) END AS minute,
      CASE WHEN timestamp >= {p6:Int64} AND event_name = {p7:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p8:Int64} AND event_name = {p9:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p10:Int64} AND event_name <> {p11:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p12:Int64} AND day <= {p13:Int64} AND NOT browser = {p14:String} AND pathname = {p15:String}) AS scoped
    WHERE timestamp >= {p16:Int64} AND timestamp <= {p17:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE code IS NOT NULL OR facet = {p18:Int64})
    SELECT facet, code, value, visitors, current_visitors, events
    FROM (
      SELECT *, row_number() OVER (PARTITION BY facet ORDER BY visitors DESC, value ASC) AS place
      FROM (
        SELECT *, if(code = '(unknown)', CASE WHEN facet = {p19:Int64} THEN '(direct)' ELSE '(unknown)' END, code) AS value FROM totals
      ) AS named
    ) AS ranked
    WHERE facet IN ({p20:Int64}, {p21:Int64}) OR place <= {p22:Int64}
      OR (facet = {p23:Int64} AND place <= {p24:Int64})
    ORDER BY facet, place;
-- parameters: {"p0":"Site.test:8080","p1":1773575700000,"p2":1773575700000,"p3":1773575700000,"p4":"pageview","p5":60000,"p6":1773575700000,"p7":"pageview","p8":1773575700000,"p9":"pageview","p10":1773575700000,"p11":"pageview","p12":20527,"p13":20527,"p14":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p15":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p16":1773575700000,"p17":1773576000000,"p18":31,"p19":27,"p20":31,"p21":15,"p22":10,"p23":29,"p24":300}

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
      CASE WHEN timestamp >= {p3:Int64} AND event_name = {p4:String} THEN intDiv(timestamp, {p5:Int64}) END AS minute,
      CASE WHEN timestamp >= {p6:Int64} AND event_name = {p7:String} THEN pathname END AS page,
      CASE WHEN timestamp >= {p8:Int64} AND event_name = {p9:String} THEN referrer_source END AS source,
      CASE WHEN timestamp >= {p10:Int64} AND event_name <> {p11:String} THEN event_name END AS event
    FROM (SELECT * FROM events WHERE day >= {p12:Int64} AND day <= {p13:Int64} AND NOT browser = {p14:String} AND pathname = {p15:String}) AS scoped
    WHERE timestamp >= {p16:Int64} AND timestamp <= {p17:Int64}) AS recent
      GROUP BY GROUPING SETS ((), (minute), (page), (source), (country_code), (event))
    ) AS counted
    WHERE code IS NOT NULL OR facet = {p18:Int64})
    SELECT facet, code, value, visitors, current_visitors, events
    FROM (
      SELECT *, row_number() OVER (PARTITION BY facet ORDER BY visitors DESC, value ASC) AS place
      FROM (
        SELECT *, if(code = '(unknown)', CASE WHEN facet = {p19:Int64} THEN '(direct)' ELSE '(unknown)' END, code) AS value FROM totals
      ) AS named
    ) AS ranked
    WHERE facet IN ({p20:Int64}, {p21:Int64}) OR place <= {p22:Int64}
      OR (facet = {p23:Int64} AND place <= {p24:Int64})
    ORDER BY facet, place;
-- parameters: {"p0":"Site.test:8080","p1":1773574200000,"p2":1773575700000,"p3":1773574200000,"p4":"pageview","p5":60000,"p6":1773574200000,"p7":"pageview","p8":1773574200000,"p9":"pageview","p10":1773574200000,"p11":"pageview","p12":20527,"p13":20527,"p14":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p15":"/Zq7'\"`{p0:String}*%_\\ -- // ?:é","p16":1773574200000,"p17":1773576000000,"p18":31,"p19":27,"p20":31,"p21":15,"p22":10,"p23":29,"p24":300}
