/** The behavioral endpoints with ClickHouse. */
import { clickhouseOfFile } from "../support/clickhouse-server.ts";
import { describeBehavioralReports } from "./behavioral-figures.suite.ts";

const clickhouse = clickhouseOfFile();

describeBehavioralReports("ClickHouse", async () => {
  const { url, username, password, database } = clickhouse();
  return {
    SVC_ENGINE: "clickhouse",
    SVC_CLICKHOUSE_URL: url,
    SVC_CLICKHOUSE_USER: username,
    ...(password !== "" && { SVC_CLICKHOUSE_PASSWORD: password }),
    SVC_CLICKHOUSE_DATABASE: await database(),
  };
});
