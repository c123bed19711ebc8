/** The tracking code of every platform installs the same script tag. */
import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { isLocalSite, PLATFORMS, type Installation } from "../../../../dashboard/setup/platforms.ts";

const EXAMPLE: Installation = { siteId: "example.com", scriptUrl: "https://stats.example.com/svc.js" };
const LOCAL: Installation = { siteId: "localhost:3000", scriptUrl: "http://localhost:8000/svc.js" };

type Attributes = Readonly<Record<string, string>>;

const codeOf = (id: string, installation: Installation): string => PLATFORMS.find((known) => known.id === id)?.code(installation) ?? "";

/** The attributes of the one script tag in HTML. */
function attributesOf(html: string): Attributes {
  const [, text = ""] = /^<script ([^>]*)><\/script>$/.exec(html.trim()) ?? [];
  return Object.fromEntries([...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) => [name, value]));
}

/** What PHP prints when WordPress runs the action: it passes on what stands outside its tags. */
function printedByPhp(code: string): string {
  expect(code.startsWith("<?php\nadd_action('wp_head', function () { ?>\n")).toBe(true);
  expect(code.endsWith("\n<?php });")).toBe(true);
  return code.replace(/<\?php[^]*?(?:\?>|$)/g, "");
}

/** The props of the component, from the code as the bundler of Next.js compiles it. */
async function propsOf(code: string): Promise<Attributes> {
  const { code: compiled } = await transform(code, { loader: "tsx", jsx: "transform", jsxFactory: "render", format: "esm" });
  const [imported = "", ...rest] = compiled.split("\n");
  expect(imported).toBe('import Script from "next/script";');
  const rendered: unknown[][] = [];
  // oxlint-disable-next-line typescript/no-implied-eval -- the code under test
  new Function("Script", "render", rest.join("\n"))("next/script", (...call: unknown[]) => rendered.push(call));
  expect(rendered).toEqual([["next/script", expect.anything()]]);
  return rendered[0]?.[1] as Attributes;
}

/** The attributes of the element that a script adds to the head. */
function addedTo(html: string): Attributes {
  const [, script = ""] = /^<script>([^]*)<\/script>$/.exec(html) ?? [];
  const [added, attributes]: [object[], Record<string, string>] = [[], {}];
  const element = { setAttribute: (name: string, value: string) => void (attributes[name] = value) };
  const document = {
    createElement: (name: string) => (name === "script" ? element : null),
    head: { appendChild: (child: object) => added.push(child) },
  };
  // oxlint-disable-next-line typescript/no-implied-eval -- the code under test
  new Function("document", script)(document);
  expect(added).toEqual([element]);
  const { setAttribute: _method, ...properties } = element;
  return { ...attributes, ...properties };
}

describe.each([
  ["a public site", EXAMPLE, { "data-domain": EXAMPLE.siteId, src: EXAMPLE.scriptUrl }],
  ["a local site", LOCAL, { "data-domain": LOCAL.siteId, "data-include-local": "", src: LOCAL.scriptUrl }],
])("the tracking code of %s", (_site, installation, attributes) => {
  it.each(["html", "sveltekit"])("the code for %s is a deferred script tag", (id) => {
    expect(attributesOf(codeOf(id, installation))).toEqual({ defer: "", ...attributes });
  });

  it("the code for WordPress prints the same tag", () => {
    expect(attributesOf(printedByPhp(codeOf("wordpress", installation)))).toEqual({ defer: "", ...attributes });
  });

  it("the code for Next.js is its script component with the same attributes", async () => {
    expect(await propsOf(codeOf("nextjs", installation))).toEqual(attributes);
  });

  it("the code for Google Tag Manager adds a script element with the same attributes, in ES5", async () => {
    const code = codeOf("tag-manager", installation);
    expect(addedTo(code)).toEqual(attributes);
    expect(code).not.toMatch(/=>|`|\b(?:const|let)\b/);
  });
});

describe("a local site", () => {
  it.each(["localhost", "localhost:3000", "shop.localhost", "127.0.0.1:8080", "10.0.0.7", "192.168.1.2", "172.20.0.3"])(
    "is %s",
    (siteId) => {
      expect(isLocalSite(siteId)).toBe(true);
    },
  );

  it.each(["example.com", "localhost.example.com", "10.example.com", "172.32.0.1", "notlocalhost"])("%s is not a local site", (siteId) => {
    expect(isLocalSite(siteId)).toBe(false);
  });
});
