/** GET / and its assets: headers, content codings and 304 responses (docs/http-api.md, "Static files"). */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError } from "../support/requests.ts";
import type { MakeTarget, Target } from "../support/target.ts";

/** Asks as it is written: fetch would decode the body and forget how it came. */
const ask = (target: Target, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  target.fetch(path, { headers: { "accept-encoding": "identity", ...headers } });

export function describeDashboardFiles(makeTarget: MakeTarget): void {
  describe("dashboard files", () => {
    let target: Target;
    let file: string;
    beforeAll(async () => {
      target = await makeTarget();
      // The page's own script only loads words and the app, and is too small to be compressed.
      file = /rel="modulepreload" href="\.(\/assets\/[^"]+\.js)"/.exec(await (await target.fetch("/")).text())?.[1] ?? "none";
    });
    afterAll(() => target.close());

    it("the page is HTML that cannot be framed, with a policy against inline scripts and styles", async () => {
      const response = await ask(target, "/");
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("x-frame-options")).toBe("DENY");
      expect(response.headers.get("permissions-policy")).toContain("geolocation=()");
      expect(response.headers.get("cache-control")).toBe("no-cache");
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
    });

    it("a file is immutable and has a strong ETag", async () => {
      const response = await ask(target, file);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("etag")).toMatch(/^"[\w-]+"$/);
      expect(response.headers.get("vary")).toBe("Accept-Encoding");
      expect(response.headers.get("content-length")).toBe(String((await response.arrayBuffer()).byteLength));
    });

    it("HEAD gives the headers of GET without the body", async () => {
      const [head, whole] = [await target.fetch(file, { method: "HEAD" }), await target.fetch(file)];
      expect({ status: head.status, body: await head.text(), tag: head.headers.get("etag") }).toEqual({
        status: 200,
        body: "",
        tag: whole.headers.get("etag"),
      });
      await whole.arrayBuffer();
    });

    it.each(["/", "file", "/svc.js", "/js/script.js", "/opt-out.js"])(
      "%s gives 304 for a matching ETag, in every coding",
      async (which) => {
        const path = which === "file" ? file : which;
        const tags = new Set<string>();
        for (const coding of ["identity", "gzip", "br"]) {
          const first = await ask(target, path, { "accept-encoding": coding });
          await first.arrayBuffer();
          const tag = first.headers.get("etag") ?? "";
          tags.add(tag);
          for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
            const again = await ask(target, path, { "accept-encoding": coding, "if-none-match": known });
            expect({ known, status: again.status, body: await again.text() }).toEqual({ known, status: 304, body: "" });
            expect(again.headers.get("etag")).toBe(tag);
            expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"));
          }
          const changed = await ask(target, path, { "accept-encoding": coding, "if-none-match": '"other"' });
          expect(changed.status).toBe(200);
          await changed.arrayBuffer();
        }
        expect(tags.size).toBe(3);
      },
    );

    it("the opt-out page may be framed by any page, and loads its own script only", async () => {
      const response = await ask(target, "/opt-out");
      expect(response.status).toBe(200);
      expect(response.headers.get("x-frame-options")).toBeNull();
      const html = await response.text();
      const [, style = ""] = /<style>(.*)<\/style>/.exec(html) ?? [];
      const hash = createHash("sha256").update(style).digest("base64");
      expect(response.headers.get("content-security-policy")).toBe(
        `default-src 'none'; script-src 'self'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
      );
      expect([...html.matchAll(/<script[^>]*>/g)].map(String)).toEqual(['<script src="opt-out.js">']);
      const script = await ask(target, "/opt-out.js");
      expect(script.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      await script.arrayBuffer();
    });

    it.each([
      ["?lang=es", "de", "es"],
      ["", "de-AT, en;q=0.5", "de"],
      ["", "it, fr;q=0.1", "fr"],
      ["", "it", "en"],
    ])("the opt-out page%s has a language for the browser's %s: %s", async (query, accepted, language) => {
      const response = await ask(target, `/opt-out${query}`, { "accept-language": accepted });
      expect(response.headers.get("vary")).toBe("Accept-Language");
      expect(await response.text()).toContain(`<html lang="${language}">`);
    });

    it("the opt-out page in an unknown language gives 400", async () => {
      await expectError(await ask(target, "/opt-out?lang=it"), 400, '"lang" must be one of en, de, fr, es');
    });

    it.each([
      "/assets/nothing.js",
      "/assets/index.html",
      "/assets/opt-out.js",
      "/assets/",
      "/assets",
      "/assets/..%2Findex.html",
      "/assets/constructor",
      "/index.html",
    ])("%s gives 404", async (path) => {
      await expectError(await target.fetch(path), 404);
    });

    it("methods other than GET and HEAD give 405", async () => {
      await expectError(await target.fetch("/", { method: "POST" }), 405);
    });
  });
}
