/** The body of POST /api/event, from its content type to its size (docs/http-api.md, "Event fields" and "Limits"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserHeaders, expectAccepted, expectError, getMain, getValues, postBody, postChunks, wireEvent } from "../support/requests.ts";
import { itNeeds, siteNames, type MakeTarget, type Target } from "../support/target.ts";

const BODY_BYTES_MAX = 65_536;

const siteName = siteNames("body");
const encoder = new TextEncoder();

/** An event whose JSON has exactly so many bytes. */
function bodyOfBytes(siteId: string, bytes: number): Uint8Array {
  const event = JSON.stringify(wireEvent(siteId, { filler: "" }));
  const body = event.replace('"filler":""', `"filler":"${"x".repeat(bytes - encoder.encode(event).length)}"`);
  return encoder.encode(body);
}

/** The bytes in pieces of at most so many. */
function inChunks(bytes: Uint8Array, chunkBytes: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, i) => bytes.subarray(i * chunkBytes, (i + 1) * chunkBytes));
}

const joined = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...encoder.encode(part)] : [...part])));

export function describeIngestBody(makeTarget: MakeTarget): void {
  describe("body of POST /api/event", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget();
    });
    afterAll(() => target.close());

    const eventsOf = async (site: string): Promise<number> => (await getMain(target, site)).total_events;

    it.each([
      "text/plain",
      "text/plain;charset=UTF-8",
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "image/gif",
    ])("a body of type %s is read as JSON", async (contentType) => {
      const site = siteName();
      await expectAccepted(await postBody(target, JSON.stringify(wireEvent(site)), { "content-type": contentType }));
      expect(await eventsOf(site)).toBe(1);
    });

    it("a body without a content type is read as JSON", async () => {
      const site = siteName();
      await expectAccepted(await postBody(target, JSON.stringify(wireEvent(site))));
      expect(await eventsOf(site)).toBe(1);
    });

    it("white space around the JSON is ignored", async () => {
      const site = siteName();
      await expectAccepted(await postBody(target, `\r\n\t ${JSON.stringify(wireEvent(site))} \n`));
      expect(await eventsOf(site)).toBe(1);
    });

    it.each([
      ["nothing", ""],
      ["white space", " \n"],
      ["half an object", '{"d":"a.test","n":"page'],
      ["two objects", "{}{}"],
      ["a form", "d=a.test&n=pageview&u=/"],
      ["single quotes", "{'d':'a.test'}"],
      ["a trailing comma", '{"d":"a.test",}'],
      ["NaN", '{"w":NaN}'],
      ["a raw control character in a text", '{"n":"a\nb"}'],
      ["a comment", '{}// "'],
    ])("malformed JSON gives 400: %s", async (_name, body) => {
      await expectError(await postBody(target, body), 400, /body/i, /JSON/);
    });

    it("malformed JSON is not quoted in the response", async () => {
      const response = await postBody(target, '{"password":"hunter2"');
      expect(await response.text()).not.toContain("hunter2");
    });

    it.each(["[]", '[{"d":"a.test","n":"x","u":"/"}]', "null", "7", "true", '"text"'])(
      "the body %s is not an object and gives 422",
      async (body) => {
        await expectError(await postBody(target, body), 422, /body/i, /object/);
      },
    );

    it("a missing body gives 400", async () => {
      const response = await target.fetch("/api/event", { method: "POST", headers: browserHeaders() });
      await expectError(response, 400, /body/i, /JSON/);
    });

    it("a byte order mark before the JSON is ignored", async () => {
      const site = siteName();
      await expectAccepted(await postBody(target, joined([0xef, 0xbb, 0xbf], JSON.stringify(wireEvent(site)))));
      expect(await eventsOf(site)).toBe(1);
    });

    it("a byte order mark before chunked JSON is ignored", async () => {
      const site = siteName();
      const body = joined([0xef, 0xbb, 0xbf], JSON.stringify(wireEvent(site)));
      await expectAccepted(await postChunks(target, inChunks(body, 2)));
      expect(await eventsOf(site)).toBe(1);
    });

    it("bytes that are not UTF-8 become U+FFFD", async () => {
      const site = siteName();
      const body = joined(`{"d":"${site}","u":"/","n":"a`, [0xff, 0xc3], 'b"}');
      await expectAccepted(await postBody(target, body));
      expect(await getValues(target, site, "events")).toEqual(["a\ufffd\ufffdb"]);
    });

    it("a body in UTF-16 gives 400", async () => {
      const text = JSON.stringify(wireEvent(siteName()));
      await expectError(await postBody(target, joined([...text].flatMap((char) => [char.charCodeAt(0), 0]))), 400, /JSON/);
    });

    it("JSON that is nested as deep as a body allows is read", async () => {
      const site = siteName();
      const deep = "[".repeat(32_000) + "]".repeat(32_000);
      await expectAccepted(await postBody(target, `{"d":"${site}","n":"pageview","u":"/","x":${deep}}`));
      expect(await eventsOf(site)).toBe(1);
    });

    it("a body of exactly 64 KB is accepted", async () => {
      const site = siteName();
      await expectAccepted(await postBody(target, bodyOfBytes(site, BODY_BYTES_MAX)));
      expect(await eventsOf(site)).toBe(1);
    });

    it("a body of one byte more than 64 KB gives 413 and is not counted", async () => {
      const site = siteName();
      await expectError(await postBody(target, bodyOfBytes(site, BODY_BYTES_MAX + 1)), 413, /body/, String(BODY_BYTES_MAX));
      expect(await eventsOf(site)).toBe(0);
    });

    it("the limit counts bytes, not characters", async () => {
      const text = `{"filler":"${"ü".repeat(BODY_BYTES_MAX / 2)}"}`;
      expect(text.length).toBeLessThan(BODY_BYTES_MAX);
      await expectError(await postBody(target, text), 413, /body/, String(BODY_BYTES_MAX));
    });

    it.each([1, 1000, 16_384, BODY_BYTES_MAX])("a chunked body of exactly 64 KB is accepted, in chunks of %d", async (chunkBytes) => {
      const site = siteName();
      const body = bodyOfBytes(site, chunkBytes === 1 ? 2000 : BODY_BYTES_MAX);
      await expectAccepted(await postChunks(target, inChunks(body, chunkBytes)));
      expect(await eventsOf(site)).toBe(1);
    });

    it.each([1000, 16_384, BODY_BYTES_MAX + 1])(
      "a chunked body of one byte more than 64 KB gives 413, in chunks of %d",
      async (chunkBytes) => {
        const site = siteName();
        const body = bodyOfBytes(site, BODY_BYTES_MAX + 1);
        await expectError(await postChunks(target, inChunks(body, chunkBytes)), 413, /body/, String(BODY_BYTES_MAX));
        expect(await eventsOf(site)).toBe(0);
      },
    );

    itNeeds(makeTarget, "answersEarly", "a chunked body that continues after the limit still gets its 413", async () => {
      const chunks = inChunks(new Uint8Array(600_000).fill(0x20), 16_384);
      const answers = await Promise.all(Array.from({ length: 8 }, () => postChunks(target, chunks)));
      for (const response of answers) await expectError(response, 413, /body/);
    });

    it("a character split between two chunks is read correctly", async () => {
      const site = siteName();
      const body = encoder.encode(JSON.stringify(wireEvent(site, { n: "\u{1f600}ü" })));
      await expectAccepted(await postChunks(target, inChunks(body, 1)));
      expect(await getValues(target, site, "events")).toEqual(["\u{1f600}ü"]);
    });

    it("requests after one with a too large body are answered", async () => {
      await expectError(await postBody(target, new Uint8Array(BODY_BYTES_MAX + 1)), 413);
      const site = siteName();
      await expectAccepted(await postBody(target, JSON.stringify(wireEvent(site))));
    });
  });
}
