/** Decides how a test's pages are served: one port for all, and a host name of its own for each site, so that no two tests share an origin. */

import { startLocalServer } from "./local-server.ts";

export type Page = {
  readonly body: string;
  /** HTML in UTF-8 unless they say otherwise. */
  readonly headers?: Record<string, string>;
};

export type Site = {
  /** Such as `http://site-1.example:4000`. */
  readonly origin: string;
  /** Serve this HTML, or page with headers, at the path from now on. */
  publish(path: string, page: string | Page): void;
  /** How many times the path was asked for. */
  visits(path: string): number;
};

export type PageServer = {
  /** A new site, under a name of its own unless one is given, such as `localhost` or a private address. */
  createSite(hostname?: string): Site;
  close(): Promise<void>;
};

export const servePages = async (): Promise<PageServer> => {
  const pages = new Map<string, Page>();
  const visits = new Map<string, number>();
  let sitesCount = 0;

  const server = await startLocalServer(({ hostname, path }, response) => {
    const key = hostname + path;
    const page = pages.get(key);
    visits.set(key, (visits.get(key) ?? 0) + 1);
    response.writeHead(page ? 200 : 404, { "content-type": "text/html; charset=utf-8", ...page?.headers });
    response.end(page?.body ?? "no such page");
  });

  return {
    createSite(hostname = `site-${++sitesCount}.example`) {
      return {
        origin: `http://${hostname}:${server.port}`,
        publish: (path, page) => pages.set(hostname + path, typeof page === "string" ? { body: page } : page),
        visits: (path) => visits.get(hostname + path) ?? 0,
      };
    },
    close: () => server.close(),
  };
};
