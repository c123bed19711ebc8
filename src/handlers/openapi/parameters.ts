/** Declared parameters in the form of the OpenAPI document. */
import type { Parameter as Declared, ParameterDescription, Parameters } from "../../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS, SHORT_END_DATE } from "../../runtime/query/scope-parameters.ts";
import type { Parameter } from "./operation.ts";

/** A query parameter that no parser declares. */
export const query = (name: string, description: ParameterDescription): Parameter => ({ name, in: "query", ...description });

const documentedOne = (name: string, { in: place, description, required, schema, example }: Declared): Parameter => ({
  name,
  in: place,
  description,
  ...(required !== undefined && { required }),
  schema,
  ...(example !== undefined && { example }),
});

/** Parameters that a parser declares. */
export const documented = (parameters: Parameters): readonly Parameter[] =>
  Object.entries(parameters).map(([name, declared]) => documentedOne(name, declared));

export const SITE: Parameter = documentedOne("site_id", SCOPE_PARAMETERS.site_id);
export const START: Parameter = documentedOne("start_date", SCOPE_PARAMETERS.start_date);
/** Of a route that takes no longer range. */
export const SHORT_END: Parameter = documentedOne("end_date", SHORT_END_DATE);
const END: Parameter = documentedOne("end_date", SCOPE_PARAMETERS.end_date);
const INTERVAL: Parameter = documentedOne("interval", SCOPE_PARAMETERS.interval);
const PERIOD: Parameter = documentedOne("period", SCOPE_PARAMETERS.period);
const FILTERS: Parameter = documentedOne("filters", SCOPE_PARAMETERS.filters);
const SEGMENT: Parameter = documentedOne("segment", SCOPE_PARAMETERS.segment);

/** Parameters of a report over a date range. */
export const SCOPE: readonly Parameter[] = [SITE, PERIOD, START, END, INTERVAL, FILTERS, SEGMENT];

/** Parameters of a report without a date range. */
export const UNDATED_SCOPE: readonly Parameter[] = [SITE, FILTERS, SEGMENT];

/** Parameters of many routes, which refer to them by these names. */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = {
  SiteId: SITE,
  Period: PERIOD,
  StartDate: START,
  EndDate: END,
  Interval: INTERVAL,
  Filters: FILTERS,
  Segment: SEGMENT,
};
