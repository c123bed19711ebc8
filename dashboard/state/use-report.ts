/** A figure of the service in a component: old ones stay while new ones load, and what is not looked at any more is not waited for. */
import { useEffect, useState } from "preact/hooks";
import { askFigure, pathOf, ServiceError, type Figures, type Parameters } from "../api/service.ts";
import { noteFailure, round } from "./connection.ts";

export interface Figure<T> {
  /** The last answer, perhaps of another view; undefined before there is any. */
  readonly data: T | undefined;
  /** Whether `data` is of an earlier question. */
  readonly isStale: boolean;
  readonly error: ServiceError | null;
  readonly retry: () => void;
}

interface Answer<T> {
  readonly question: string;
  readonly data?: T;
  readonly error: ServiceError | null;
}

/** Answers that are asked for again within so many milliseconds, such as by Back, are given at once. */
const KEPT_MS = 20_000;
const KEPT_MAX = 200;
const kept = new Map<string, { readonly atMs: number; readonly data: unknown }>();

function keep(question: string, data: unknown): void {
  kept.delete(question);
  kept.set(question, { atMs: performance.now(), data });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}

function fresh(question: string): unknown {
  const answer = kept.get(question);
  return answer && performance.now() - answer.atMs < KEPT_MS ? answer.data : undefined;
}

/** Forgets everything: for when the data itself has changed. */
export const forgetAnswers = (): void => kept.clear();

const failureOf = (error: unknown): ServiceError => (error instanceof ServiceError ? error : new ServiceError("failed", String(error)));

/** `path` is null while nothing is to be asked. */
export function usePath<T>(path: string | null): Figure<T> {
  const [answer, setAnswer] = useState<Answer<T> | null>(null);
  const [tries, setTries] = useState(0);
  const question = path === null ? null : `${round.value} ${path}`;
  useEffect(() => {
    if (path === null || question === null) return;
    const known = fresh(question);
    if (known !== undefined) {
      setAnswer({ question, data: known as T, error: null });
      return;
    }
    const controller = new AbortController();
    askFigure<T>(path, controller.signal).then(
      (data) => {
        keep(question, data);
        if (!controller.signal.aborted) setAnswer({ question, data, error: null });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        noteFailure(error);
        setAnswer((before) => ({ question, ...(before?.data !== undefined && { data: before.data }), error: failureOf(error) }));
      },
    );
    return () => controller.abort();
  }, [question, tries]);
  return {
    data: answer?.data,
    isStale: question !== null && answer !== null && answer.question !== question,
    error: answer?.question === question ? (answer?.error ?? null) : null,
    retry: () => setTries((count) => count + 1),
  };
}

/** Figures by their name behind `/api/stats/`. */
export const useFigure = <Name extends keyof Figures>(name: Name, parameters: Parameters | null): Figure<Figures[Name]> =>
  usePath(parameters === null ? null : pathOf(`/api/stats/${name}`, parameters));

export const useBreakdown = (dimension: string, parameters: Parameters | null): Figure<Figures["breakdown"]> =>
  usePath(parameters === null ? null : pathOf(`/api/stats/breakdown/${dimension}`, parameters));
