/** `fetch` with any `Host` header, like a browser whose DNS resolves that name to this address. */
import { request } from "node:http";
import type { TargetRequest } from "./target.ts";

/** Uses node:http if a host is given, because `fetch` derives the header from the URL. Bodies must then be strings. */
export function fetchAt(url: URL, { host, ...init }: TargetRequest): Promise<Response> {
  if (host === undefined) return fetch(url, init);
  const headers = { ...Object.fromEntries(new Headers(init.headers)), host };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: init.method ?? "GET", headers, agent: false });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const body = chunks.length === 0 ? null : Buffer.concat(chunks);
        resolve(
          new Response(body, {
            status: response.statusCode ?? 0,
            headers: Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
              values.map((value): [string, string] => [name, value]),
            ),
          }),
        );
      });
    });
    sent.end(init.body as string | undefined);
  });
}
