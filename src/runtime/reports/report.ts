/** The declaration of a report: parameters, result, and the plan that computes it. Everything else derives from it. */
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs } from "../../storage/event.ts";
import type { AppErrorCode } from "../base/errors.ts";
import type { Aggregation } from "../duckdb/rollups/tallies.ts";
import { withCoverage } from "../query/coverage.ts";
import { type AggregateQuery, mapPlan, type Plan } from "../query/plan.ts";
import type { DateRange } from "../query/date-range.ts";
import { Decimal } from "../base/decimal.ts";
import { keyOfConditions } from "../query/filters.ts";
import type { Schema } from "../base/json-schema.ts";
import type { ExtensionUse, ReportQuery } from "../query/query-engine.ts";
import { parseParameters, type Parameter, type Parameters, type Values } from "../query/parameters.ts";
import {
  presentScopeOf,
  rangeDaysMaxOf,
  type Reader,
  type Scope,
  SCOPE_PARAMETERS,
  scopeOf,
  type ScopeValues,
  UNDATED_SCOPE_PARAMETERS,
} from "../query/scope.ts";
import type { SessionRules } from "../query/conditions.ts";
import type { CacheKey } from "../results/query-service.ts";
import type { SiteGoal } from "../sites/goal.ts";
import { calendarFrom } from "../sites/site-calendar.ts";
import type { WeekStart } from "../../shared/site-choices.ts";

export interface ReportSettings extends SessionRules {
  readonly realtimeWindowMinutes: number;
  /** The behavioral extension is loaded, and the report uses it. */
  readonly hasExtension: boolean;
}

export interface ReportRequest<P extends Parameters> {
  readonly scope: Scope;
  readonly values: Values<P>;
  readonly nowMs: EpochMs;
  readonly calendar: Calendar;
  readonly weekStart: WeekStart;
  /** The goals of the site in its order; empty unless the report declares `readsGoals`. */
  readonly goals: readonly SiteGoal[];
}

export interface ReportFile {
  readonly name: string;
  readonly contentType: string;
}

interface WrittenFile<Result> extends ReportFile {
  readonly textOf: (result: Result) => string;
}

interface ReportHead<Path extends string, Result> {
  /** Segments that begin with `:` are path parameters. */
  readonly path: Path;
  /** Unique: generated clients use it as a function name. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The result's name and schema in the OpenAPI document, other forms that parameters ask for, and schemas that these reference. */
  readonly result: {
    readonly name: string;
    readonly schema: Schema<Result>;
    readonly forms?: Readonly<Record<string, Schema>>;
    readonly components?: Readonly<Record<string, Schema>>;
  };
}

/** A query whose rows rollups store, and what it computes: rollups are made without SQL, and both have the same rows. */
export interface Rollable extends Aggregation {
  readonly query: AggregateQuery;
}

/** The measures of the report, by name. `scope` is any range, without conditions. */
type Rolled = (scope: Scope, settings: Pick<ReportSettings, "sessionGapMs" | "hasExtension">) => Readonly<Record<string, Rollable>>;

export interface ReportDeclaration<Path extends string, P extends Parameters, Result> extends ReportHead<Path, Result> {
  /** False for a report without date parameters, whose results are not cached. */
  readonly hasDates?: false;
  readonly parameters: P;
  /** Throws a 400 for an invalid combination of values. Dates among them may span `rangeDaysMax` days. */
  readonly check?: (values: Values<P>, range: DateRange, rangeDaysMax: number) => unknown;
  /** The file that a request asks for, always CSV; null for JSON. */
  readonly file?: (request: ReportRequest<P>) => WrittenFile<Result> | null;
  readonly readsGoals?: true;
  /** `unused` by default. A function if it depends on the parameters. */
  readonly extension?: ExtensionUse | ((values: Values<P>) => ExtensionUse);
  /** Reasons for refusals that not all reports share. */
  readonly refusals?: Readonly<Partial<Record<AppErrorCode, string>>>;
  readonly rolled?: Rolled;
  /** Pure. */
  readonly plan: (request: ReportRequest<P>, settings: ReportSettings) => Plan<Result>;
}

export interface PreparedReport {
  readonly query: ReportQuery;
  readonly timeZone: string;
  /** null if the result must not be cached. */
  readonly cacheKey: CacheKey | null;
  /** null for JSON. */
  readonly file: ReportFile | null;
}

/** A declared report without the types of its parameters and result, so that all reports are of one type. */
export interface Report<Path extends string = string> extends ReportHead<Path, unknown> {
  readonly hasDates: boolean;
  readonly parameters: Parameters;
  readonly mayNeedExtension: boolean;
  readonly hasFile: boolean;
  readonly refusals: Readonly<Partial<Record<AppErrorCode, string>>>;
  readonly rolled: Rolled;
  /** Parses a request; 400 with the name of the invalid parameter, 403 if the reader may not see the data. */
  readonly prepare: (read: (name: string, from: Parameter["in"]) => string | null, reader: Reader) => Promise<PreparedReport>;
  /** Its result is the response's JSON, or the text of the file. Pure. */
  readonly plan: (query: ReportQuery, settings: ReportSettings) => Plan<string>;
}

export function report<const Path extends string, P extends Parameters, Result>(
  declaration: ReportDeclaration<Path, P, Result>,
): Report<Path> {
  const { hasDates = true, extension = "unused", refusals = {}, rolled = () => ({}), path, parameters, check, ...rest } = declaration;
  const { file: fileOf = () => null } = declaration;
  return {
    ...rest,
    path,
    hasDates,
    parameters,
    mayNeedExtension: extension !== "unused" && extension !== "used",
    hasFile: declaration.file !== undefined,
    refusals,
    rolled,
    async prepare(read, reader) {
      const scopeValues: ScopeValues = parseParameters(hasDates ? SCOPE_PARAMETERS : UNDATED_SCOPE_PARAMETERS, read);
      const scope = await (hasDates ? scopeOf : presentScopeOf)(scopeValues, reader);
      const values = parseParameters(parameters, read);
      check?.(values, scope.range, rangeDaysMaxOf(scopeValues));
      const { siteId, range, conditions, shared, arrivalRules } = scope;
      const { nowMs } = reader;
      const calendar = reader.calendarOf(siteId);
      const timeZone = calendar.zoneAt(nowMs);
      const weekStart = reader.weekStartOf(siteId);
      const goals = declaration.readsGoals ? reader.goalsOf(siteId) : [];
      const request = { scope, values, nowMs, calendar, weekStart, goals };
      const file = fileOf(request);
      const conditionKeys = [
        keyOfConditions(conditions),
        shared && { range: shared.range, conditions: keyOfConditions(shared.conditions) },
      ];
      return {
        query: {
          ...{ name: path, scope, values, nowMs, calendar: calendar.record, weekStart, goals },
          extension: typeof extension === "function" ? extension(values) : extension,
        },
        timeZone,
        cacheKey: hasDates
          ? {
              report: path,
              siteId,
              parameters: [range.firstDay, range.lastDay, conditionKeys, values, timeZone, weekStart, goals, arrivalRules],
            }
          : null,
        file: file && { name: file.name, contentType: file.contentType },
      };
    },
    plan(query, settings) {
      const request = { ...query, values: query.values as Values<P>, calendar: calendarFrom(query.calendar) };
      const file = fileOf(request);
      return mapPlan(declaration.plan(request, settings), (result, days) =>
        file ? file.textOf(result) : withCoverage(jsonText(result), days),
      );
    },
  };
}

/** `JSON.stringify` that keeps all digits of a `Decimal` (docs/http-api.md, "Numbers"). */
export function jsonText(value: unknown): string {
  if (value instanceof Decimal) return value.digits;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonText(field)}`).join(",")}}`;
}
