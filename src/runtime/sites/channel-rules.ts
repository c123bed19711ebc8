/** The field `channel_rules` of a site's settings: a list of rules, each with a channel and at least one condition (docs/channels.md). */
import { CHANNEL_CONDITIONS, CHANNELS, type ChannelRule } from "../../shared/channels.ts";
import { exceedsChars } from "../../shared/text.ts";
import type { JsonObject } from "../../storage/record-store.ts";
import { Body, field, isObject, refusedField, required, textsField, withDefault, wordField } from "../base/body.ts";
import { CHANNEL_RULES_MAX, CHANNEL_VALUES_MAX, SITE_LIST_ENTRY_CHARS_MAX } from "../base/config/admin-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { list, text, word } from "../base/json-schema.ts";

/** Values keep their spelling: reports compare them in any case. */
const condition = (description: string) =>
  withDefault<readonly string[]>(
    textsField(
      list(description, text("One of them. `*` stands for any characters.", { minLength: 1, maxLength: SITE_LIST_ENTRY_CHARS_MAX }), {
        maxItems: CHANNEL_VALUES_MAX,
      }),
      (sent, name) =>
        sent.map((value) => {
          const trimmed = value.trim();
          if (trimmed !== "" && !exceedsChars(trimmed, SITE_LIST_ENTRY_CHARS_MAX)) return trimmed;
          throw refusedField(name, `a list of texts of 1 to ${SITE_LIST_ENTRY_CHARS_MAX} characters`, value);
        }),
    ),
    [],
  );

/** It refuses unknown fields: a misspelt condition would make the rule match more visits. */
const RULE = new Body(
  {
    channel: required(wordField(word("The channel of visits that match.", CHANNELS))),
    source: condition("Names of sources, as reports show them."),
    referrer: condition("Hosts of referrers."),
    utm_source: condition("Values of `utm_source`."),
    utm_medium: condition("Values of `utm_medium`."),
    click_id: condition("Kinds of click ids, such as `gclid`."),
  },
  {},
);

const DESCRIPTION =
  "Rules that give visits a channel, before the built-in ones; the first that matches counts. A rule matches if all of its conditions " +
  "have a value that matches, in any case.";

const valuesIn = (rules: readonly ChannelRule[]): number =>
  rules.flatMap((rule) => CHANNEL_CONDITIONS.flatMap((name) => rule[name])).length;

function checkedRule(sent: JsonObject, name: string): ChannelRule {
  const rule = RULE.parse(sent, `${name}.`);
  if (valuesIn([rule]) > 0) return rule;
  throw invalidInput(`Field "${name}" must have at least one condition of: ${CHANNEL_CONDITIONS.join(", ")}`);
}

export const channelRulesField = withDefault<readonly ChannelRule[]>(
  field(
    list(DESCRIPTION, RULE.schema, { maxItems: CHANNEL_RULES_MAX }),
    "an array of objects",
    (value) => (Array.isArray(value) && value.every(isObject) ? (value as readonly JsonObject[]) : undefined),
    (sent, name) => {
      if (sent.length > CHANNEL_RULES_MAX)
        throw invalidInput(`Field "${name}" must have at most ${CHANNEL_RULES_MAX} rules, got ${sent.length}`);
      const rules = sent.map((rule, i) => checkedRule(rule, `${name}[${i}]`));
      if (valuesIn(rules) <= CHANNEL_VALUES_MAX) return rules;
      throw invalidInput(`Field "${name}" must have at most ${CHANNEL_VALUES_MAX} values in all, got ${valuesIn(rules)}`);
    },
  ),
  [],
);
