/** The query parameters of a request, each given once or not at all. */
import { invalidInput } from "../runtime/base/errors.ts";
import { QUERY_PARAMETERS_MAX } from "../runtime/base/config/limits.ts";
import { parseParameters, type Parameters, type Values } from "../runtime/query/parameters.ts";

/** All parameters of a request, known or not; 400 for too many, because each lookup scans all of them. */
export function parametersOf(url: URL): URLSearchParams {
  const count = url.search.split("&", QUERY_PARAMETERS_MAX + 1).length;
  if (count > QUERY_PARAMETERS_MAX) throw invalidInput(`A request may have at most ${QUERY_PARAMETERS_MAX} query parameters`);
  return url.searchParams;
}

export class Query {
  readonly #params: URLSearchParams;

  constructor(url: URL) {
    this.#params = parametersOf(url);
  }

  /** The value, or null if the parameter is missing; 400 if it is given more than once. */
  text(name: string): string | null {
    const values = this.#params.getAll(name);
    if (values.length > 1) throw invalidInput(`"${name}" must be given at most once`);
    return values[0] ?? null;
  }

  /** The values of declared parameters; 400 with the name of the first invalid one. */
  parse<P extends Parameters>(parameters: P): Values<P> {
    return parseParameters(parameters, (name) => this.text(name));
  }
}
