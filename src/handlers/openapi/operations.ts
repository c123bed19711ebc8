/** Every operation and schema of the OpenAPI document, collected from the file of each topic. */
import { closed, text } from "../../runtime/query/json-schema.ts";
import type { Method, RouteId } from "../route.ts";
import { AUTH_OPERATIONS, AUTH_SCHEMAS } from "./auth.ts";
import { COLLECTION_OPERATIONS, COLLECTION_SCHEMAS } from "./collections.ts";
import { DASHBOARD_OPERATIONS } from "./dashboard.ts";
import { DEMO_OPERATIONS, DEMO_SCHEMAS } from "./demo.ts";
import { ERASURE_OPERATIONS, ERASURE_SCHEMAS } from "./erasure.ts";
import { INGEST_OPERATIONS, INGEST_SCHEMAS } from "./ingest.ts";
import { INSTALLATION_OPERATIONS, INSTALLATION_SCHEMAS } from "./installation.ts";
import type { Operation } from "./operation.ts";
import { REPORT_OPERATIONS, REPORT_SCHEMAS } from "./reports.ts";
import { SERVICE_OPERATIONS, SERVICE_SCHEMAS } from "./service.ts";
import { SITE_SETTINGS_OPERATIONS, SITE_SETTINGS_SCHEMAS } from "./site-settings.ts";
import { SHARE_OPERATIONS, SHARE_SCHEMAS } from "./shares.ts";
import { STATS_OPERATIONS, STATS_SCHEMAS } from "./stats.ts";

const DESCRIBED = {
  ...INGEST_OPERATIONS,
  ...STATS_OPERATIONS,
  ...REPORT_OPERATIONS,
  ...AUTH_OPERATIONS,
  ...COLLECTION_OPERATIONS,
  ...SHARE_OPERATIONS,
  ...DASHBOARD_OPERATIONS,
  ...SITE_SETTINGS_OPERATIONS,
  ...ERASURE_OPERATIONS,
  ...DEMO_OPERATIONS,
  ...INSTALLATION_OPERATIONS,
  ...SERVICE_OPERATIONS,
};

/** The routes that are described here. */
export type DescribedRouteId = keyof typeof DESCRIBED;

type PathIn<M extends Method, Id> = Id extends `${M} ${infer Path extends `/${string}`}` ? Path : never;

/** The paths that are described for a method. */
export type DescribedPath<M extends Method> = PathIn<M, DescribedRouteId>;

export const OPERATIONS: Readonly<Partial<Record<RouteId, Operation>>> = DESCRIBED;

export const SCHEMAS = {
  Error: closed({ error: text("A message that says what is wrong, and in which field or parameter.", { minLength: 1 }) }),
  ...INGEST_SCHEMAS,
  ...STATS_SCHEMAS,
  ...REPORT_SCHEMAS,
  ...AUTH_SCHEMAS,
  ...SITE_SETTINGS_SCHEMAS,
  ...COLLECTION_SCHEMAS,
  ...SHARE_SCHEMAS,
  ...ERASURE_SCHEMAS,
  ...DEMO_SCHEMAS,
  ...INSTALLATION_SCHEMAS,
  ...SERVICE_SCHEMAS,
};
