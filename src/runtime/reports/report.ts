/** The declaration of a report: parameters, result, and the plan that computes it. Everything else derives from it. */
import type { AppErrorCode } from "../base/errors.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import { mapPlan, type Plan } from "../query/plan.ts";
import type { CacheKey } from "../results/result-cache.ts";
import type { DateRange } from "../query/date-range.ts";
import { keyOfConditions, type Condition } from "../query/filters.ts";
import type { Schema } from "../query/json-schema.ts";
import { parseParameters, type Parameter, type Parameters, type Values } from "../query/parameters.ts";
import type { Scope } from "../query/scope.ts";
import {
  SCOPE_PARAMETERS,
  UNDATED_SCOPE_PARAMETERS,
  presentScopeOf,
  rangeDaysMaxOf,
  scopeOf,
  type ScopeValues,
} from "../query/scope-parameters.ts";
import type { SessionRules } from "../query/session-rules.ts";
import type { Reader } from "../query/reader.ts";
import type { SiteGoal } from "../sites/goal.ts";
import type { WeekStart } from "../sites/site-settings.ts";
import type { Calendar } from "../../storage/calendar.ts";
import type { EpochMs } from "../../storage/event.ts";
import { jsonText } from "./json-text.ts";

/** The inputs of a plan other than the request. */
export interface ReportSettings extends SessionRules {
  readonly realtimeWindowMinutes: number;
  /** Whether the behavioral extension is loaded. False if the report does not use it. */
  readonly hasExtension: boolean;
}

/** A parsed request for a report. */
export interface ReportRequest<P extends Parameters> {
  readonly scope: Scope;
  /** The report's own parameters. */
  readonly values: Values<P>;
  readonly nowMs: EpochMs;
  /** The site's. */
  readonly calendar: Calendar;
  /** The first day of the site's weeks. */
  readonly weekStart: WeekStart;
  /** The site's, in its order, if the report reads them. */
  readonly goals: readonly SiteGoal[];
}

/** `needed`: without the extension the report is a 503. `used`: without it some fields are null. */
export type ExtensionUse = "unused" | "used" | "needed";

/** A response that is a file in place of JSON. */
export interface ReportFile {
  readonly name: string;
  readonly contentType: string;
}

interface WrittenFile<Result> extends ReportFile {
  readonly textOf: (result: Result) => string;
}

export interface ReportDeclaration<Path extends string, P extends Parameters, Result> {
  /** Segments that begin with `:` are path parameters. */
  readonly path: Path;
  /** Unique: generated clients use it as a function name. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** False for a report without date parameters, whose results are not cached. */
  readonly hasDates?: false;
  /** In addition to the parameters of the scope. */
  readonly parameters: P;
  /** Throws a 400 for an invalid combination of values. Dates among them may span `rangeDaysMax` days. */
  readonly check?: (values: Values<P>, range: DateRange, rangeDaysMax: number) => unknown;
  /** The result's name and schema in the OpenAPI document, other forms that parameters ask for, and further schemas that these reference. */
  readonly result: {
    readonly name: string;
    readonly schema: Schema<Result>;
    readonly forms?: Readonly<Record<string, Schema>>;
    readonly components?: Readonly<Record<string, Schema>>;
  };
  /** The file that a request asks for; null for JSON. Always CSV. */
  readonly file?: (request: ReportRequest<P>) => WrittenFile<Result> | null;
  /** Whether its result depends on the goals of the site. */
  readonly readsGoals?: true;
  /** By default `unused`. A function if it depends on the parameters. */
  readonly extension?: ExtensionUse | ((values: Values<P>) => ExtensionUse);
  /** Reasons for refusals that not all reports share. */
  readonly refusals?: Readonly<Partial<Record<AppErrorCode, string>>>;
  /** The queries of its plan whose rows over all events are stored in rollups, by the measure's name. */
  readonly rolled?: Rolled;
  /** Pure. */
  readonly plan: (request: ReportRequest<P>, settings: ReportSettings) => Plan<Result>;
}

/** A validated request. */
export interface PreparedReport {
  readonly extension: ExtensionUse;
  /** The IANA name of the site's time zone at the moment. */
  readonly timeZone: string;
  /** Null if the result must not be cached. */
  readonly cacheKey: CacheKey | null;
  /** Null for JSON. */
  readonly file: ReportFile | null;
  /** To be checked before the plan is made (`FilterCheck`). */
  readonly conditions: readonly Condition[];
  /** Its result is the response's JSON, or the text of the file. */
  readonly plan: (settings: ReportSettings) => Plan<string>;
}

/** `scope` is of any range, without conditions. */
type Rolled = (scope: Scope, settings: Pick<ReportSettings, "sessionGapMs" | "hasExtension">) => Readonly<Record<string, AggregateQuery>>;

/** A declared report without the types of its parameters and result, so that all reports have the same type. */
export interface Report<Path extends string = string> {
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly hasDates: boolean;
  readonly parameters: Parameters;
  readonly result: ReportDeclaration<Path, Parameters, unknown>["result"];
  readonly mayNeedExtension: boolean;
  readonly hasFile: boolean;
  readonly refusals: Readonly<Partial<Record<AppErrorCode, string>>>;
  readonly rolled: Rolled;
  /** Parses a request; 400 with the name of the invalid parameter, 403 for what the reader may not see. */
  readonly prepare: (read: (name: string, from: Parameter["in"]) => string | null, reader: Reader) => Promise<PreparedReport>;
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
      const { siteId, range, conditions, shared } = scope;
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
        extension: typeof extension === "function" ? extension(values) : extension,
        timeZone,
        cacheKey: hasDates
          ? { report: path, siteId, parameters: [range.firstDay, range.lastDay, conditionKeys, values, timeZone, weekStart, goals] }
          : null,
        file: file && { name: file.name, contentType: file.contentType },
        conditions,
        plan: (settings) => mapPlan(declaration.plan(request, settings), file?.textOf ?? jsonText),
      };
    },
  };
}
