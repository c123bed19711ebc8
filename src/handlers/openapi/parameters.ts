/** Declared parameters as the document has them. */
import type { Parameter as Declared, ParameterDescription, Parameters } from "../../runtime/query/parameters.ts";
import { SCOPE_PARAMETERS } from "../../runtime/query/scope-parameters.ts";
import type { Parameter } from "./operation.ts";

/** A query parameter of a route that declares none. */
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
export const END: Parameter = documentedOne("end_date", SCOPE_PARAMETERS.end_date);
const PERIOD: Parameter = documentedOne("period", SCOPE_PARAMETERS.period);
const FILTERS: Parameter = documentedOne("filters", SCOPE_PARAMETERS.filters);

/** Of a report over some dates. */
export const SCOPE: readonly Parameter[] = [SITE, PERIOD, START, END, FILTERS];

/** Of a report that has dates of its own. */
export const UNDATED_SCOPE: readonly Parameter[] = [SITE, FILTERS];

/** Those of many routes, which refer to them by these names. */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = {
  SiteId: SITE,
  Period: PERIOD,
  StartDate: START,
  EndDate: END,
  Filters: FILTERS,
};
