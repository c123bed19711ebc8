/** Decides whether a page's Content Security Policy lets it load a script and send events (CSP Level 3, "Matching algorithms"). */

type Policy = ReadonlyMap<string, readonly string[]>;

export interface Wanted {
  readonly url: URL;
  readonly page: URL;
  /** The `nonce` of the script tag; null if a script adds it, and for events. */
  readonly nonce: string | null;
  /** A script of the page adds it, which `strict-dynamic` allows. */
  readonly isAdded: boolean;
}

/** Policies of a page that are read: browsers take any number, sites send one or two. */
const POLICIES_MAX = 100;

/** [scheme://] host [:port] [path] */
const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^/:*]+)(?::(\d+|\*))?(\/[^?#]*)?$/i;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

const portOf = ({ port, protocol }: URL): string => port || (DEFAULT_PORTS[protocol] ?? "");

/** https satisfies http. */
const matchesScheme = (scheme: string, url: URL): boolean => scheme === url.protocol || (scheme === "http:" && url.protocol === "https:");

const matchesHost = (host: string, { hostname }: URL): boolean =>
  host === "*" || (host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host);

const matchesPort = (port: string | undefined, url: URL): boolean =>
  port === undefined ? url.port === "" : port === "*" || port === portOf(url);

const matchesPath = (path: string, { pathname }: URL): boolean => (path.endsWith("/") ? pathname.startsWith(path) : pathname === path);

function matchesHostSource(source: string, { url, page }: Wanted): boolean {
  const [, scheme, host, port, path] = HOST_SOURCE.exec(source) ?? [];
  return (
    host !== undefined &&
    matchesScheme(scheme === undefined ? page.protocol : `${scheme.toLowerCase()}:`, url) &&
    matchesHost(host.toLowerCase(), url) &&
    matchesPort(port, url) &&
    (path === undefined || matchesPath(path, url))
  );
}

function matchesSource(source: string, wanted: Wanted): boolean {
  const { url, page } = wanted;
  if (source === "*") return url.protocol in DEFAULT_PORTS;
  if (/^'self'$/i.test(source)) return url.hostname === page.hostname && url.port === page.port && matchesScheme(page.protocol, url);
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return matchesScheme(source.toLowerCase(), url);
  return matchesHostSource(source, wanted);
}

function allowsScript(sources: readonly string[], wanted: Wanted): boolean {
  if (wanted.nonce !== null && sources.includes(`'nonce-${wanted.nonce}'`)) return true;
  const isStrict = sources.some((source) => source.toLowerCase() === "'strict-dynamic'");
  return isStrict ? wanted.isAdded : sources.some((source) => matchesSource(source, wanted));
}

function parsePolicy(text: string): Policy {
  const policy = new Map<string, readonly string[]>();
  for (const directive of text.split(";")) {
    const [name = "", ...sources] = directive.trim().split(/\s+/);
    if (name !== "" && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources);
  }
  return policy;
}

export class ContentSecurityPolicy {
  readonly #policies: readonly Policy[];

  /** Takes the values of headers and `meta` elements. Each may hold several policies, all of which must allow a request. */
  constructor(values: readonly string[]) {
    const texts = values.flatMap((value) => value.split(",")).filter((text) => text.trim() !== "");
    this.#policies = texts.slice(0, POLICIES_MAX).map(parsePolicy);
  }

  allowsScript(wanted: Wanted): boolean {
    return this.#allows(["script-src-elem", "script-src", "default-src"], (sources) => allowsScript(sources, wanted));
  }

  allowsEvents(wanted: Wanted): boolean {
    return this.#allows(["connect-src", "default-src"], (sources) => sources.some((source) => matchesSource(source, wanted)));
  }

  /** Each policy decides by the first of these directives that it has. */
  #allows(directives: readonly string[], isAllowedBy: (sources: readonly string[]) => boolean): boolean {
    return this.#policies.every((policy) => {
      const directive = directives.find((name) => policy.has(name));
      return directive === undefined || isAllowedBy(policy.get(directive) ?? []);
    });
  }
}
