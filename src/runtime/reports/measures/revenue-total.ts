/** The sum of revenue in hundredths, which may exceed 64 bits. */
import { perDialect, sql } from "../../query/sql.ts";

/** Of events with an amount. ClickHouse sums 64-bit integers in 64 bits. */
export const REVENUE_TOTAL = perDialect(sql`sum(revenue_amount)`, sql`sum(toInt128(assumeNotNull(revenue_amount)))`);
