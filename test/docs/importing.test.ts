/** The page about importing gives the statements that the program prints when it refuses other files of these products. */
import { expect, it } from "vitest";
import { PLAUSIBLE_STATEMENT } from "../../src/runtime/imports/formats/plausible.ts";
import { SWETRIX_STATEMENT } from "../../src/runtime/imports/formats/swetrix.ts";
import { UMAMI_STATEMENTS } from "../../src/runtime/imports/formats/umami.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

it("the statements of the page about importing are those of the program", () => {
  const statements = codeBlocksOf(readPage("docs/importing.md")).filter(({ language }) => language === "sql");
  expect(statements.map(({ code }) => code.trim())).toEqual([PLAUSIBLE_STATEMENT, UMAMI_STATEMENTS, SWETRIX_STATEMENT]);
});
