/** What a report declares: its parameters, its result, and the plan that computes the one from the other. All else derives from it. */
import type { AppErrorCode } from "../errors.ts";
import { mapPlan, type Plan } from "../execution/plan.ts";
import type { CacheKey } from "../execution/result-cache.ts";
import type { Schema } from "../query/json-schema.ts";
import { parseParameters, type Parameter, type Parameters, type Values } from "../query/parameters.ts";
import type { Scope } from "../query/scope.ts";
import { SCOPE_PARAMETERS, UNDATED_SCOPE_PARAMETERS, scopeOf } from "../query/scope-parameters.ts";
import type { EpochMs } from "../../storage/event.ts";
import { jsonText } from "./json-text.ts";

/** What a plan depends on beside the request. */
export interface ReportSettings {
  /** Two events of a visitor that are further apart belong to different sessions. */
  readonly sessionGapMs: number;
  /** Days of a salt period. */
  readonly rotationDays: number;
  readonly realtimeWindowMinutes: number;
  /** Whether the behavioral extension is loaded. False where the report does not use it. */
  readonly hasExtension: boolean;
}

/** A request for a report, parsed. */
export interface ReportRequest<P extends Parameters> {
  readonly scope: Scope;
  /** The report's own parameters. */
  readonly values: Values<P>;
  readonly nowMs: EpochMs;
}

/** `needed`: without it the report is refused. `used`: without it some fields are null. */
export type ExtensionUse = "unused" | "used" | "needed";

export interface ReportDeclaration<Path extends string, P extends Parameters, Result> {
  /** Parts that begin with `:` are parameters in the path. */
  readonly path: Path;
  /** Unlike any other report's: generated clients name their functions so. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** False for a report whose dates are its own: it has no parameters for dates, and no result of it is cached. */
  readonly hasDates?: false;
  /** Beside those of the scope. */
  readonly parameters: P;
  /** 400 for values that do not go together. */
  readonly check?: (values: Values<P>) => unknown;
  /** The result's name and shape in the OpenAPI document, and shapes that it refers to by name. */
  readonly result: { readonly name: string; readonly schema: Schema<Result>; readonly components?: Readonly<Record<string, Schema>> };
  /** By default `unused`. A function where it depends on the parameters. */
  readonly extension?: ExtensionUse | ((values: Values<P>) => ExtensionUse);
  /** When it refuses for other reasons than every report. */
  readonly refusals?: Readonly<Partial<Record<AppErrorCode, string>>>;
  /** Pure. */
  readonly plan: (request: ReportRequest<P>, settings: ReportSettings) => Plan<Result>;
}

/** A request that was found valid. */
export interface PreparedReport {
  readonly extension: ExtensionUse;
  /** Null where no result is cached. */
  readonly cacheKey: CacheKey | null;
  /** Its result is the response's JSON. */
  readonly plan: (settings: ReportSettings) => Plan<string>;
}

/** A declared report with the types of its parameters and result left out, so that all reports are alike. */
export interface Report<Path extends string = string> {
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly hasDates: boolean;
  readonly parameters: Parameters;
  readonly result: ReportDeclaration<Path, Parameters, unknown>["result"];
  readonly mayNeedExtension: boolean;
  readonly refusals: Readonly<Partial<Record<AppErrorCode, string>>>;
  /** Parses a request; 400 with the name of the parameter that is wrong. */
  readonly prepare: (read: (name: string, from: Parameter["in"]) => string | null, nowMs: EpochMs) => PreparedReport;
}

export function report<const Path extends string, P extends Parameters, Result>(
  declaration: ReportDeclaration<Path, P, Result>,
): Report<Path> {
  const { hasDates = true, extension = "unused", refusals = {}, path, parameters, check, ...rest } = declaration;
  const scopeParameters = hasDates ? SCOPE_PARAMETERS : UNDATED_SCOPE_PARAMETERS;
  return {
    ...rest,
    path,
    hasDates,
    parameters,
    mayNeedExtension: extension !== "unused" && extension !== "used",
    refusals,
    prepare(read, nowMs) {
      const scope = scopeOf(parseParameters(scopeParameters, read), nowMs);
      const values = parseParameters(parameters, read);
      check?.(values);
      const { siteId, range, conditions } = scope;
      return {
        extension: typeof extension === "function" ? extension(values) : extension,
        cacheKey: hasDates ? { report: path, siteId, parameters: [range.firstDay, range.lastDay, conditions, values] } : null,
        plan: (settings) => mapPlan(declaration.plan({ scope, values, nowMs }, settings), jsonText),
      };
    },
  };
}
