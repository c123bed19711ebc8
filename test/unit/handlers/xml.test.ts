/** Texts in XML documents. */
import { expect, it } from "vitest";
import { xmlText } from "../../../src/handlers/xml.ts";

it("a text of a visitor ends no element and no attribute, and has no character that XML forbids, reorders or hides", () => {
  expect(xmlText(`</title><script a="1" b='2'>&amp;`)).toBe("&lt;/title&gt;&lt;script a=&quot;1&quot; b=&apos;2&apos;&gt;&amp;amp;");
  expect(xmlText("a\u0000b\u001bc\u202ed\u2066e\u200bf\ud800g\ufffeh\u2028i")).toBe("abcdefghi");
  expect(xmlText("Grüße, 東京 🙂")).toBe("Grüße, 東京 🙂");
});
