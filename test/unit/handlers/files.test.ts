/** Which form of a file is sent to whom. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { packAsset } from "../../../adapters/pack-asset.mjs";
import { responseTo } from "../../../src/handlers/http.ts";
import { assetReply, chosenCoding } from "../../../src/handlers/files.ts";
import { createAssets, unpackAsset } from "../../../src/runtime/service/assets.ts";

const TEXT = "Ein Wort, ein zweites Wort: größer. ".repeat(100);
const ASSET = unpackAsset(packAsset("text/plain", TEXT));

const answer = (headers: Record<string, string>): Response =>
  responseTo("GET", assetReply(new Request("http://a.test/", { headers }), ASSET, {}));

describe("the content coding of a file", () => {
  const ALL = ["br", "gzip", "identity"] as const;

  it.each([
    [null, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP", "gzip"],
    ["br;q=0.5, gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.5", "br"],
    ["br;q=0, gzip", "gzip"],
    ["*", "br"],
    ["br;q=0, *;q=0.1", "gzip"],
    ["identity, gzip;q=0.5", "identity"],
    ["deflate", "identity"],
    ["identity;q=0", "identity"],
    ["identity;q=0, gzip", "gzip"],
    ["*;q=0", "identity"],
    ["br;q=nonsense, gzip;q=0.1", "gzip"],
    ["br ; q=0.1 ,gzip ; q=0.2", "gzip"],
  ])("is chosen by Accept-Encoding: %j gives %s", (header, coding) => {
    expect(chosenCoding(header, ALL)).toBe(coding);
  });

  it("is one in which the file exists", () => {
    expect(chosenCoding("br, gzip;q=0.1", ["gzip", "identity"])).toBe("gzip");
    expect(chosenCoding("br", ["identity"])).toBe("identity");
  });

  it.each([
    ["br", (bytes: Uint8Array) => brotliDecompressSync(bytes)],
    ["gzip", (bytes: Uint8Array) => gunzipSync(bytes)],
  ])("%s decodes to the same text", async (coding, undo) => {
    const response = answer({ "accept-encoding": coding });
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(response.headers.get("content-length")).toBe(String(bytes.length));
    expect(undo(bytes).toString()).toBe(TEXT);
    expect(bytes.length).toBeLessThan(TEXT.length / 2);
  });

  it("is not named in a header if the file is sent uncompressed", async () => {
    const response = answer({});
    expect(response.headers.has("content-encoding")).toBe(false);
    expect(await response.text()).toBe(TEXT);
  });

  it("gets an ETag of its own", () => {
    const plain = answer({}).headers.get("etag") ?? "";
    expect(answer({ "if-none-match": plain }).status).toBe(304);
    expect(answer({ "if-none-match": plain, "accept-encoding": "br" }).status).toBe(200);
  });
});

describe("bundled files", () => {
  it("are not compressed if that saves nothing", () => {
    expect(packAsset("text/plain", "short")).toMatchObject({ brotli: undefined, gzip: undefined });
  });

  it("get a version that depends on their content", () => {
    expect(packAsset("text/plain", "a").version).not.toBe(packAsset("text/plain", "b").version);
  });

  it("are found by exact name only", () => {
    const assets = createAssets({ "a.txt": packAsset("text/plain", TEXT) });
    expect(new TextDecoder().decode(assets("a.txt")?.bytes)).toBe(TEXT);
    expect(assets("a.txt")).toBe(assets("a.txt"));
    expect(assets("constructor")).toBeNull();
    expect(assets("b.txt")).toBeNull();
  });
});
