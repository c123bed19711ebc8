/** The editor of a site's rules of channels: their order counts, and all conditions of a rule that are filled in must match. */
import { CHANNEL_CONDITIONS, CHANNELS, type Channel, type ChannelCondition } from "../../src/shared/channels.ts";
import type { SiteSettings } from "../api/endpoints.ts";
import { Select } from "../kit/forms.tsx";
import { Button, INLINE } from "../kit/inline.tsx";
import { fill, rich, words } from "../words/words.ts";
import { fieldId, type Editing } from "./settings-form.tsx";

type Rule = SiteSettings["channel_rules"][number];

const CONDITIONS: Readonly<Record<ChannelCondition, { readonly label: string; readonly placeholder: string }>> = {
  source: { label: words.sourceSettings.source, placeholder: "Google" },
  referrer: { label: words.sourceSettings.referrerHost, placeholder: "*.partner.example" },
  utm_source: { label: words.sourceSettings.utmSource, placeholder: "crm-*" },
  utm_medium: { label: words.sourceSettings.utmMedium, placeholder: "auto, trigger" },
  click_id: { label: words.sourceSettings.clickId, placeholder: "gclid" },
};

const CHANNEL_LABELS = Object.fromEntries(CHANNELS.map((channel) => [channel, words.format.channels[channel]])) as Readonly<
  Record<Channel, string>
>;

const NEW_RULE: Rule = { channel: "Referral" };

interface RuleProps {
  readonly rule: Rule;
  readonly number: number;
  readonly isLast: boolean;
  readonly onChange: (rule: Rule) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

function MoveButton({ number, isUp, canMove, onMove }: { number: number; isUp: boolean; canMove: boolean; onMove: RuleProps["onMove"] }) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={fill(isUp ? words.sourceSettings.moveRuleUp : words.sourceSettings.moveRuleDown, { number })}
      aria-disabled={!canMove}
      onClick={() => canMove && onMove(isUp ? -1 : 1)}
    >
      {isUp ? "↑" : "↓"}
    </button>
  );
}

const RuleFields = ({ rule, number, isLast, onChange, onMove, onRemove }: RuleProps) => (
  <li class="rule" aria-label={fill(words.sourceSettings.ruleNumber, { number })}>
    <div class="rule-head">
      <Select
        label={words.sourceSettings.channel}
        labels={CHANNEL_LABELS}
        chosen={rule.channel}
        onChoose={(channel) => onChange({ ...rule, channel })}
      />
      <span class="rule-tools">
        <MoveButton number={number} isUp canMove={number > 1} onMove={onMove} />
        <MoveButton number={number} isUp={false} canMove={!isLast} onMove={onMove} />
        <button type="button" class="button small" onClick={onRemove}>
          {rich(words.sourceSettings.remove, { ...INLINE, number })}
        </button>
      </span>
    </div>
    <div class="rule-conditions">
      {CHANNEL_CONDITIONS.map((name) => (
        <label key={name}>
          {CONDITIONS[name].label}
          <input
            type="text"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder={CONDITIONS[name].placeholder}
            value={(rule[name] ?? []).join(",")}
            onInput={({ currentTarget: { value } }) => onChange({ ...rule, [name]: value === "" ? [] : value.split(",") })}
          />
        </label>
      ))}
    </div>
  </li>
);

function moved(rules: readonly Rule[], from: number, by: -1 | 1): Rule[] {
  const rule = rules[from];
  return rule === undefined ? [...rules] : rules.toSpliced(from, 1).toSpliced(from + by, 0, rule);
}

export function ChannelRulesField({ settings: { channel_rules: rules }, change, field }: Editing) {
  const { label, problem } = field("channel_rules");
  const set = (channel_rules: readonly Rule[]) => change({ channel_rules });
  const id = fieldId("channel_rules");
  return (
    <fieldset id={id} tabIndex={-1} aria-describedby={`${id}-hint ${id}-problem`}>
      <legend>{label}</legend>
      <p class="hint" id={`${id}-hint`}>
        {words.sourceSettings.rulesHint}
      </p>
      <ol class="rules">
        {rules.map((rule, i) => (
          <RuleFields
            key={i}
            rule={rule}
            number={i + 1}
            isLast={i === rules.length - 1}
            onChange={(changed) => set(rules.with(i, changed))}
            onMove={(by) => set(moved(rules, i, by))}
            onRemove={() => set(rules.toSpliced(i, 1))}
          />
        ))}
      </ol>
      <Button onClick={() => set([...rules, NEW_RULE])}>{words.sourceSettings.addRule}</Button>
      <p class="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </fieldset>
  );
}
