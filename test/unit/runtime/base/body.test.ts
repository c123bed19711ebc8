/** Fields of request bodies: one declaration is the rule, the message and the schema. */
import { describe, expect, it } from "vitest";
import {
  anyText,
  Body,
  field,
  flagField,
  integerField,
  isObject,
  parseObject,
  required,
  textField,
  textsField,
  trimmedField,
  visibleField,
  withDefault,
  wordField,
} from "../../../../src/runtime/base/body.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { boolean, count, list, orNull, text, word } from "../../../../src/runtime/base/json-schema.ts";

const INNER = new Body({ key: required(visibleField(text("A key.", { minLength: 1, maxLength: 5 }))) }, {});

const FIELDS = {
  id: required(textField(text("An id.", { minLength: 2, maxLength: 4 }))),
  name: trimmedField(orNull(text("A name.", { minLength: 1, maxLength: 5 }))),
  note: textField(orNull(text("A note.", { maxLength: 3 }))),
  secret: anyText(orNull(text("Anything.", { minLength: 8 }))),
  size: withDefault(wordField(word("A size.", ["small", "large"])), "small"),
  open: withDefault(flagField(boolean("Whether it is open.")), false),
  level: integerField(orNull(count("A level.", { minimum: 1, maximum: 3 }))),
  tags: withDefault(
    textsField(list("Tags.", text("One.")), (tags) => [...new Set(tags)]),
    [],
  ),
  inner: field(
    INNER.schema,
    "an object",
    (value) => (isObject(value) ? INNER.read(value, "inner.") : undefined),
    (sent) => INNER.check(sent, "inner."),
  ),
};

const RESPONSE_ONLY = { created_at: text("When it was made.", { format: "date-time" }) };

const CLOSED = new Body(FIELDS, RESPONSE_ONLY);
const OPEN = new Body(FIELDS);

const DEFAULTS = { id: "ab", name: null, note: null, secret: null, size: "small", open: false, level: null, tags: [], inner: null };

/** The code and message of a refusal. */
function refusalOf(body: Readonly<Record<string, unknown>>): readonly [string, string] {
  try {
    CLOSED.parse(body);
  } catch (error) {
    if (error instanceof AppError) return [error.failure.code, error.message];
    throw error;
  }
  throw new Error("the body was taken");
}

describe("the body of a request", () => {
  it("maps a missing field and null to its default, or to null", () => {
    expect(CLOSED.parse({ id: "ab" })).toEqual(DEFAULTS);
    expect(CLOSED.parse(Object.fromEntries(Object.keys(FIELDS).map((name) => [name, name === "id" ? "ab" : null])))).toEqual(DEFAULTS);
  });

  it("reads each type, and trims where surrounding spaces mean nothing", () => {
    const body = {
      id: "😀😀😀😀",
      name: " a b ",
      note: "",
      secret: "x",
      size: "large",
      open: true,
      level: 3,
      tags: ["a", "a"],
      inner: { key: "k" },
    };
    expect(CLOSED.parse(body)).toEqual({ ...body, name: "a b", tags: ["a"] });
  });

  it("replaces lone surrogates, which UTF-8 cannot hold", () => {
    expect(CLOSED.parse({ id: "a\ud800", tags: ["\udc00"] })).toMatchObject({ id: "a\uFFFD", tags: ["\uFFFD"] });
  });

  it.each([
    [{}, 'Field "id" is missing'],
    [{ id: null }, 'Field "id" is missing'],
    [{ id: 1 }, 'Field "id" must be a string'],
    [{ id: "ab", open: "yes" }, 'Field "open" must be true or false'],
    [{ id: "ab", level: "1" }, 'Field "level" must be a number'],
    [{ id: "ab", tags: ["a", 1] }, 'Field "tags" must be an array of strings'],
    [{ id: "ab", inner: [] }, 'Field "inner" must be an object'],
    [{ id: "ab", inner: {} }, 'Field "inner.key" is missing'],
    [{ id: "", level: "1" }, 'Field "level" must be a number'],
  ])("%j is malformed: %s", (body, message) => {
    expect(refusalOf(body)).toEqual(["malformed_body", message]);
  });

  it.each([
    [{ id: "a" }, 'Field "id" must be 2 to 4 characters, got "a"'],
    [{ id: "abcde" }, 'Field "id" must be 2 to 4 characters, got "abcde"'],
    [{ id: "ab", name: " " }, 'Field "name" must be 1 to 5 characters and not only spaces, got ""'],
    [{ id: "ab", note: "abcd" }, 'Field "note" must be at most 3 characters, got "abcd"'],
    [{ id: "ab", size: "Small" }, 'Field "size" must be one of small, large, got "Small"'],
    [{ id: "ab", level: 0 }, 'Field "level" must be an integer from 1 to 3, got 0'],
    [{ id: "ab", level: 1.5 }, 'Field "level" must be an integer from 1 to 3, got 1.5'],
    [{ id: "ab", inner: { key: "" } }, 'Field "inner.key" must be 1 to 5 characters and not only spaces, got ""'],
    [{ id: "x".repeat(100) }, `Field "id" must be 2 to 4 characters, got "${"x".repeat(63)}…`],
    [{ id: "ab", nonsense: 1 }, 'Unknown field "nonsense". Use any of: id, name, note, secret, size, open, level, tags, inner'],
  ])("%j breaks a rule: %s", (body, message) => {
    expect(refusalOf(body)).toEqual(["invalid_input", message]);
  });

  it("ignores what only responses have, and all unknown fields if it is open", () => {
    expect(CLOSED.parse({ id: "ab", created_at: 1 })).toEqual(DEFAULTS);
    expect(OPEN.parse({ id: "ab", nonsense: 1 })).toEqual(DEFAULTS);
  });

  it("has no fields that every object inherits", () => {
    expect(() => new Body({ constructor: required(anyText(text("A name."))) }).parse({})).toThrow('Field "constructor" is missing');
  });

  it("is described by the schemas of its fields", () => {
    expect(OPEN.schema).toEqual({ type: "object", properties: OPEN.properties, required: ["id"] });
    const properties = { ...CLOSED.properties, ...RESPONSE_ONLY };
    expect(CLOSED.schema).toEqual({ type: "object", properties, required: ["id"], additionalProperties: false });
    expect(CLOSED.responseSchema).toEqual({ ...CLOSED.schema, required: ["created_at", ...Object.keys(FIELDS)] });
  });

  it.each([
    ["{", "The body is not valid JSON"],
    ["[]", "The body must be a JSON object"],
    ["null", "The body must be a JSON object"],
  ])("the text %s is refused: %s", (body, message) => {
    expect(() => parseObject(body)).toThrow(message);
  });
});
