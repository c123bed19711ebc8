/** The tags of an HTML page as a browser sees them, and how long finding them takes. */
import { describe, expect, it } from "vitest";
import { tagsIn } from "../../../../src/runtime/installation/html-tags.ts";
import { filled, growthOf, GROWTH_MAX, SIZE_RATIO } from "../../../support/growth.ts";

const tags = (html: string) => [...tagsIn(html)].map(({ name, attributes }) => [name, Object.fromEntries(attributes)]);

describe("the tags of a page", () => {
  it.each<[string, string, unknown[]]>([
    ["attributes with any quotes", `<script a="1" b='2' c=3 d src = "x y" >`, [["script", { a: "1", b: "2", c: "3", d: "", src: "x y" }]]],
    ["names in lower case", `<SCRIPT Data-Domain="Shop">`, [["script", { "data-domain": "Shop" }]]],
    ["slashes between attributes", `<script/async/src=/a/b.js/>`, [["script", { async: "", src: "/a/b.js/" }]]],
    ["the first of two attributes", `<a x=1 x=2>`, [["a", { x: "1" }]]],
    [
      "entities",
      `<meta content="a &amp; &#39;b&#x27; &quot;c&quot; &lt;&gt; &apos; &unknown;">`,
      [["meta", { content: `a & 'b' "c" <> ' &unknown;` }]],
    ],
    [
      "no text in quotes",
      `<a title="<script src=x>">b</a><b>`,
      [
        ["a", { title: "<script src=x>" }],
        ["b", {}],
      ],
    ],
    ["no comments", `<!-- <script src=x></script> --><b>`, [["b", {}]]],
    [
      "what follows an empty comment",
      `<!--><b><!---><i>`,
      [
        ["b", {}],
        ["i", {}],
      ],
    ],
    ["no comment that never ends", `<!-- <script src=x>`, []],
    [
      "no text of scripts",
      `<script>"<script src=x>" </scripty </SCRIPT ><b>`,
      [
        ["script", {}],
        ["b", {}],
      ],
    ],
    ["nothing of an unfinished script", `<script><b>`, [["script", {}]]],
    [
      "nothing in noscript, template, title and textarea",
      `<noscript><a></noscript><template><b></template><title><c></title><textarea><d>`,
      [
        ["noscript", {}],
        ["template", {}],
        ["title", {}],
        ["textarea", {}],
      ],
    ],
    ["no end tags and declarations", `<!doctype html></p><?xml?><b>`, [["b", {}]]],
    ["no lone signs", `a < b <3 << <b>`, [["b", {}]]],
    ["an unfinished tag", `<script src="x`, [["script", { src: "x" }]]],
    ["a stray equals sign", `<a =x == y>`, [["a", { x: "=", y: "" }]]],
  ])("are read: %s", (_name, html, wanted) => {
    expect(tags(html)).toEqual(wanted);
  });

  const UNITS = [
    "<",
    "<a",
    "<a ",
    "<a x",
    "<a x=",
    `<a x="`,
    "<a x='",
    "<!--",
    "<!-- -->",
    "<script>",
    "</script>",
    "<script></script",
    "</",
    " ",
    "=",
    "<a =",
    "&",
    "&amp",
    `"`,
  ];

  it.each(UNITS)("are found in linear time in %s repeated", async (unit) => {
    // Made before, because memory for a text of this size costs more than reading it on some machines.
    const [small, large] = [filled(400_000 / SIZE_RATIO, unit), filled(400_000, unit)];
    const growth = await growthOf(
      () => [...tagsIn(small)].length,
      () => [...tagsIn(large)].length,
    );
    expect(growth).toBeLessThan(GROWTH_MAX);
  });
});
