/** Entry point of the Parquet threads. No request waits for them. */
import { inlineParquetWriter } from "../../../src/storage/parquet-events.ts";
import { servePort } from "./port-thread.ts";

servePort(inlineParquetWriter, "background");
