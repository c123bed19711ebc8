/** The behavioral endpoints with DuckDB. */
import { describeBehavioralReports } from "./behavioral-figures.suite.ts";
import "./settings.ts";

describeBehavioralReports("DuckDB", () => Promise.resolve({}));
