/** What every `PageFetch` does, against a web server of this machine. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE_BYTES_MAX } from "../../src/runtime/base/config/limits.ts";
import { PageFetchError, type PageFetch } from "../../src/runtime/installation/page-fetch.ts";

const TIMEOUT_MS = 10_000;

const COMPRESSED: Readonly<Record<string, readonly [encoding: string, body: Uint8Array]>> = {
  "/gzip": ["gzip", gzipSync("<p>small")],
  "/brotli": ["br", brotliCompressSync("<p>small")],
  "/bomb": ["gzip", gzipSync(Buffer.alloc(100 * PAGE_BYTES_MAX, "a"))],
  "/garbled": ["gzip", Buffer.from("not compressed at all")],
};

export function describePageFetch(name: string, fetchPage: PageFetch): void {
  describe(`page fetch: ${name}`, () => {
    let server: Server;
    let origin: string;
    let received: IncomingHttpHeaders = {};
    const page = (path: string, timeoutMs = TIMEOUT_MS) => fetchPage(new URL(path, origin), timeoutMs);
    const failureOf = async (fetching: Promise<unknown>): Promise<string> => {
      const error = await fetching.then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(PageFetchError);
      return (error as PageFetchError).failure;
    };

    beforeAll(async () => {
      server = createServer((request, response) => {
        received = request.headers;
        const [encoding, body] = COMPRESSED[request.url ?? ""] ?? [];
        if (encoding !== undefined) return void response.writeHead(200, { "content-encoding": encoding }).end(body);
        if (request.url === "/moved") response.writeHead(301, { location: "/elsewhere" }).end("moved".repeat(100));
        else if (request.url === "/long") response.writeHead(200, { "content-type": "text/html" }).end("é".repeat(PAGE_BYTES_MAX));
        else if (request.url === "/slow") response.writeHead(200, { "content-type": "text/html" }).write("<p>");
        else if (request.url === "/silent") return;
        else if (request.url === "/broken") response.destroy();
        else if (request.url === "/upgraded")
          request.socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n");
        else if (request.url === "/created")
          response.writeHead(201, { location: "/elsewhere", "content-type": "text/html" }).end("<p>made");
        else
          response
            .writeHead(
              418,
              [
                ["Content-Type", "text/html; charset=utf-8"],
                ["Content-Security-Policy", "default-src 'self'"],
                ["Content-Security-Policy", "script-src 'none'"],
                ["Set-Cookie", "a=b"],
              ].flat(),
            )
            .end("<p>Grüße");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => {
      server.close();
      server.closeAllConnections();
    });

    it("returns status, content type, all policies and text, whatever the status", async () => {
      const { policy, ...rest } = await page("/teapot");
      expect(rest).toEqual({ status: 418, location: null, contentType: "text/html; charset=utf-8", html: "<p>Grüße" });
      expect(policy.split(",").map((text) => text.trim())).toEqual(["default-src 'self'", "script-src 'none'"]);
    });

    it("sends no cookie of an earlier page, no referrer and no origin", async () => {
      await page("/teapot");
      await page("/teapot");
      expect(received).toMatchObject({ "user-agent": "Sandpiper/1 (installation check)", accept: "text/html" });
      for (const header of ["cookie", "referer", "origin", "authorization"]) expect(received).not.toHaveProperty(header);
    });

    it("returns a redirect instead of following it", async () => {
      expect(await page("/moved")).toMatchObject({ status: 301, location: "/elsewhere", html: "" });
    });

    it("reads a page that names a location but does not redirect", async () => {
      expect(await page("/created")).toMatchObject({ status: 201, location: "/elsewhere", html: "<p>made" });
    });

    it("reads the first megabyte, counted in bytes", async () => {
      expect((await page("/long")).html).toBe("é".repeat(PAGE_BYTES_MAX / 2));
    });

    it("reads the first megabyte of a page that is compressed unasked", async () => {
      for (const path of ["/gzip", "/brotli"]) expect((await page(path)).html).toBe("<p>small");
      expect((await page("/bomb")).html).toBe("a".repeat(PAGE_BYTES_MAX));
      expect(await failureOf(page("/garbled"))).toBe("unreachable");
    });

    it.each(["/silent", "/slow"])("gives up on %s after its time", async (path) => {
      expect(await failureOf(page(path, 50))).toBe("timeout");
    });

    it("reports a server as unreachable if it breaks the connection, changes the protocol, or does not exist", async () => {
      expect(await failureOf(page("/broken"))).toBe("unreachable");
      expect(await failureOf(page("/upgraded"))).toBe("unreachable");
      expect(await failureOf(fetchPage(new URL("http://127.0.0.1:9/"), TIMEOUT_MS))).toBe("unreachable");
    });
  });
}
