/** Values that people read in another spelling than they are stored in. Most need no change, so the rules load with the first that does. */
import { signal } from "@preact/signals";

/** A path, a host, a URL, or a source, which may be a host. */
export type Spelling = "path" | "host" | "url" | "source";

type Rules = typeof import("../../src/shared/paths.ts");

const rules = signal<Rules | null>(null);

let loading: Promise<void> | null = null;

/** Views that show stored spellings until then are rendered again. A failure leaves them, and the next view tries again. */
export function loadSpelling(): Promise<void> {
  loading ??= import("../../src/shared/paths.ts").then(
    (loaded) => void (rules.value = loaded),
    () => void (loading = null),
  );
  return loading;
}

const URL_PARTS = /^([a-z-]+:\/\/)([^/?]*)(.*)$/is;

function readableIn({ readableHost, readablePath }: Rules, value: string, spelling: Spelling): string {
  if (spelling === "path") return readablePath(value);
  if (spelling !== "url") return readableHost(value);
  return value.replace(URL_PARTS, (_, scheme: string, host: string, rest: string) => scheme + readableHost(host) + readablePath(rest));
}

/** Encodings of paths and hosts. */
const ENCODED = /%|xn--/;

export function readable(value: string, spelling: Spelling): string {
  if (!ENCODED.test(value)) return value;
  if (rules.value === null) void loadSpelling();
  return rules.value === null ? value : readableIn(rules.value, value, spelling);
}
