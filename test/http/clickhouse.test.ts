/** The HTTP suites against the app as a function, with ClickHouse in the place of DuckDB. */
import { withAskedRoutes } from "../support/asked-routes.ts";
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { clickhouseTargets } from "../support/clickhouse-target.ts";
import { describeCompleteness, describeInterface } from "./interface.suite.ts";

const makeTarget = withAskedRoutes(clickhouseTargets(clickhouseOfFile()));

describeInterface(makeTarget);

describeCompleteness(makeTarget, []);
