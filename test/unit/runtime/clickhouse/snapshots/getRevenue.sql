WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions, count(DISTINCT visitor_id) AS paying_visitors
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY currency) SELECT currency, transactions, paying_visitors, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named ORDER BY named.total DESC, named.currency ASC LIMIT {p5:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":100}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT event_name AS value, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY ALL) SELECT value, currency, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named ORDER BY named.total DESC, named.value ASC, named.currency ASC LIMIT {p5:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":100}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT pathname AS value, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY ALL) SELECT value, currency, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named ORDER BY named.total DESC, named.value ASC, named.currency ASC LIMIT {p5:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":100}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions, count(DISTINCT visitor_id) AS paying_visitors
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY currency) SELECT currency, transactions, paying_visitors, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named ORDER BY named.total DESC, named.currency ASC LIMIT {p5:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":100}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT event_name AS value, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY ALL) SELECT value, currency, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named ORDER BY named.total DESC, named.value ASC, named.currency ASC LIMIT {p5:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":100}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT pathname AS value, currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY ALL) SELECT value, currency, transactions, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named ORDER BY named.total DESC, named.value ASC, named.currency ASC LIMIT {p5:Int64};
-- parameters: {"p0":"Site.test:8080","p1":20513,"p2":20526,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20","p5":100}

WITH events AS (SELECT * FROM `sandpiper`.events_data WHERE site_id = {p0:String}), totals AS (
    SELECT currency, sum(toInt128(assumeNotNull(revenue_amount))) AS total, count(*) AS transactions, count(DISTINCT visitor_id) AS paying_visitors
    FROM (SELECT * FROM events WHERE day >= {p1:Int64} AND day <= {p2:Int64} AND NOT browser = {p3:String} AND pathname = {p4:String}) AS scoped
    WHERE revenue_amount IS NOT NULL
    GROUP BY currency) SELECT currency, transactions, paying_visitors, CAST(total AS VARCHAR) AS total FROM (SELECT * FROM totals) AS named;
-- parameters: {"p0":"Site.test:8080","p1":20499,"p2":20512,"p3":"Zq7'\"`{p0:String}*%_\\ -- // ?:é","p4":"/Zq7'%22%60%7Bp0:String%7D*%_/%20--%20//%20"}
