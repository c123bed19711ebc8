/**
 * What changed, in sentences: one text for dashboard, digest, share image and API (docs/http-api.md, "Changes"). Numbers first, then the
 * comparison, then the value. It is made of the answer's fields alone, in the words of any language.
 */
import type { ChangePlural, ChangeWords } from "./change-words.ts";

export const CHANGE_SENTENCE_CHARS_MAX = 160;
const SENTENCES_MAX = 2;

/** Longer names of values are cut. */
const NAME_CHARS_MAX = 40;
const SHORT_NAME_CHARS_MAX = 20;

const PERCENT_COUNT_MIN = 20;

/** Weekly growth that is worth a word. */
const TREND_MIN = 0.01;

/** Money may be a decimal that a double does not hold. */
type Amount = number | { readonly digits: string };

interface Value {
  readonly dimension: string;
  readonly value: string;
}

interface ToldFinding extends Value {
  readonly also: readonly Value[];
  readonly dates: readonly string[];
  /** What its numbers are of. */
  readonly numbers_of: "period" | "dates";
  readonly before: Amount;
  readonly after: Amount;
  readonly typical: Amount | null;
  readonly without_value: { readonly ordinary: boolean | null };
  readonly drill: Value | null;
  readonly filters: string;
}

/** The fields of the answer that sentences are made of. */
export interface ToldChanges {
  readonly metric: keyof ChangeWords["counts"] | keyof ChangeWords["rates"];
  readonly goal?: string | undefined;
  readonly currency?: string | undefined;
  readonly start_date: string;
  readonly end_date: string;
  /** The period is the current date. */
  readonly so_far?: boolean | undefined;
  readonly verdict: string;
  readonly reason?: string | undefined;
  readonly comparison: { readonly compare: string; readonly start_date?: string | undefined; readonly end_date?: string | undefined };
  readonly total: { readonly before: Amount | null; readonly after: Amount; readonly change: number | null };
  readonly typical: {
    readonly expected: Amount;
    readonly low: Amount;
    readonly high: Amount;
    readonly counted: Amount;
    readonly trend_per_week: number;
  } | null;
  readonly findings: readonly ToldFinding[];
  readonly mix?: (Value & { readonly more: boolean; readonly higher: boolean; readonly filters: string }) | undefined;
  readonly days: readonly { readonly date: string; readonly value: Amount; readonly expected: Amount; readonly finding: number | null }[];
  readonly caveats: readonly {
    readonly code: keyof ChangeWords["caveats"];
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly amount?: Amount | undefined;
  }[];
}

/** Segments with `filters` or `day` are links to what they name. */
export interface ChangeSegment {
  readonly text: string;
  /** A filter, in its notation. */
  readonly filters?: string;
  /** `2026-03-15` */
  readonly day?: string;
}

export interface ChangeTexts {
  /** One or two sentences. */
  readonly headline: readonly ChangeSegment[];
  /** One for each finding and caveat, in their order. */
  readonly findings: readonly (readonly ChangeSegment[])[];
  readonly caveats: readonly (readonly ChangeSegment[])[];
}

export const textOfSegments = (segments: readonly ChangeSegment[]): string => segments.map(({ text }) => text).join("");

type Part = string | ChangeSegment | readonly ChangeSegment[];

const segmentsOf = (part: Part): readonly ChangeSegment[] => (typeof part === "string" ? [{ text: part }] : "text" in part ? [part] : part);

/** Replaces `{name}`. Neighbors without a link are joined; an abbreviation's period (`28. Okt.`) ends a sentence, too. */
function fill(template: string, parts: Readonly<Record<string, Part>>): ChangeSegment[] {
  const filled = template
    .split(/(\{\w+\})/)
    .filter((piece) => piece !== "")
    .flatMap((piece) => segmentsOf(/^\{\w+\}$/.test(piece) ? (parts[piece.slice(1, -1)] ?? "") : piece));
  const joined: ChangeSegment[] = [];
  for (const { text, ...link } of filled) {
    const last = joined.at(-1);
    const segment = { text: last?.text.endsWith(".") && text.startsWith(".") ? text.slice(1) : text, ...link };
    if (segment.text === "") continue;
    const isPlain = (one: ChangeSegment): boolean => one.filters === undefined && one.day === undefined;
    if (last && isPlain(last) && isPlain(segment)) joined[joined.length - 1] = { text: last.text + segment.text };
    else joined.push(segment);
  }
  return joined;
}

const numberOf = (amount: Amount): number => (typeof amount === "number" ? amount : Number(amount.digits));

const dateOf = (label: string): Date => new Date(label.length > 10 ? `${label.replace(" ", "T")}Z` : `${label}T00:00:00Z`);

/** Intl writes thin spaces in dates, which plain texts and programs do not expect. */
const withPlainSpaces = (date: string): string => date.replaceAll(/[\u2009\u202F]/g, " ");

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

const daysBetween = (first: string, last: string): number => (dateOf(last).getTime() - dateOf(first).getTime()) / DAY_MS + 1;

function cutName(name: string, charsMax: number): string {
  const chars = [...name];
  return chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join("")}…` : name;
}

const RATES = ["conversion_rate", "bounce_rate"];

/** Numbers, money and dates of one answer, as its language writes them. */
class Writer {
  readonly #changes: ToldChanges;
  readonly #words: ChangeWords;
  readonly #locale: string;
  readonly #plurals: Intl.PluralRules;

  constructor(changes: ToldChanges, words: ChangeWords, locale: string) {
    this.#changes = changes;
    this.#words = words;
    this.#locale = locale;
    this.#plurals = new Intl.PluralRules(locale);
  }

  #number(value: number, options: Intl.NumberFormatOptions): string {
    return new Intl.NumberFormat(this.#locale, options).format(value);
  }

  count(value: number): string {
    return this.#number(Math.round(value), {});
  }

  percent(share: number): string {
    return this.#number(share, { style: "percent", maximumFractionDigits: 0 });
  }

  form(forms: ChangePlural, value: number): string {
    return forms[this.#plurals.select(value)] ?? forms.other;
  }

  plural(forms: ChangePlural, value: number, count: string, goal = ""): string {
    return textOfSegments(fill(this.form(forms, value), { count, goal }));
  }

  #duration(secs: number): string {
    const whole = Math.round(Math.abs(secs));
    const unit = (value: number, name: "minute" | "second") => this.#number(value, { style: "unit", unit: name, unitDisplay: "short" });
    const minutes = Math.floor(whole / 60);
    if (minutes === 0) return unit(whole, "second");
    return whole % 60 === 0 ? unit(minutes, "minute") : `${unit(minutes, "minute")} ${unit(whole % 60, "second")}`;
  }

  /** The number without its noun. */
  amount(amount: Amount): string {
    const value = numberOf(amount);
    const { metric, currency } = this.#changes;
    if (RATES.includes(metric)) return this.#number(value, { style: "percent", maximumFractionDigits: 1 });
    if (metric === "views_per_visit") return this.#number(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    if (metric === "duration") return this.#duration(value);
    if (metric !== "revenue") return this.count(value);
    return currency !== undefined && /^[A-Z]{3}$/.test(currency)
      ? this.#number(value, { style: "currency", currency })
      : this.#number(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }

  /** The number and its noun. */
  noun(amount: Amount): string {
    const { metric, goal } = this.#changes;
    const { counts, rates } = this.#words;
    const goalName = cutName(goal ?? "", SHORT_NAME_CHARS_MAX);
    if (metric in counts) {
      const value = Math.round(numberOf(amount));
      return this.plural(counts[metric as keyof typeof counts], value, this.count(value), goalName);
    }
    return textOfSegments(fill(rates[metric as keyof typeof rates], { amount: this.amount(amount), goal: goalName }));
  }

  /** Percent, or points for rates; null if it would say too much about too little. */
  difference(before: Amount, after: Amount, hasPercent: boolean): string | null {
    const [from, to] = [numberOf(before), numberOf(after)];
    const { metric } = this.#changes;
    if (RATES.includes(metric)) {
      const points = Math.abs(to - from) * 100;
      const rounded = Number(points.toFixed(1));
      return this.plural(this.#words.points, rounded, this.#number(rounded, { maximumFractionDigits: 1 }));
    }
    if (metric === "views_per_visit") return this.#number(Math.abs(to - from), { maximumFractionDigits: 2 });
    if (metric === "duration") return this.#duration(to - from);
    const isEnough = metric === "revenue" ? hasPercent && from > 0 : from >= PERCENT_COUNT_MIN;
    return isEnough ? this.percent(Math.abs(to - from) / from) : null;
  }

  #dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return new Intl.DateTimeFormat(this.#locale, { timeZone: "UTC", month: "short", day: "numeric", ...options });
  }

  /** Has the year if it is not that of the period. */
  dates(first: string, last: string): ChangeSegment {
    const year = this.#changes.end_date.slice(0, 4);
    const format = this.#dateFormat(first.slice(0, 4) === year && last.slice(0, 4) === year ? {} : { year: "numeric" });
    if (first === last) return { text: format.format(dateOf(first)), day: first };
    return { text: withPlainSpaces(format.formatRange(dateOf(first), dateOf(last))) };
  }

  /** Dates, or hours of them. */
  times(from: string, to: string): string {
    const format = this.#dateFormat(from.length > 10 ? { hour: "numeric", minute: "2-digit" } : { year: "numeric" });
    return withPlainSpaces(from === to ? format.format(dateOf(from)) : format.formatRange(dateOf(from), dateOf(to)));
  }

  list(parts: readonly Part[]): ChangeSegment[] {
    const places = new Intl.ListFormat(this.#locale, { type: "conjunction" }).format(parts.map((_, i) => `{${i}}`));
    return fill(places, Object.fromEntries(parts.entries()));
  }
}

/** The first that is short enough; the last is cut if none is. */
function fitting(candidates: readonly (readonly ChangeSegment[])[]): readonly ChangeSegment[] {
  const found = candidates.find((segments) => textOfSegments(segments).length <= CHANGE_SENTENCE_CHARS_MAX);
  if (found) return found;
  const kept: ChangeSegment[] = [];
  let left = CHANGE_SENTENCE_CHARS_MAX - 1;
  for (const segment of candidates.at(-1) ?? []) {
    if (left <= 0) break;
    kept.push({ ...segment, text: segment.text.slice(0, left) });
    left -= segment.text.length;
  }
  return [...kept, { text: "…" }];
}

class Teller {
  readonly #changes: ToldChanges;
  readonly #words: ChangeWords;
  readonly #write: Writer;
  readonly #nameOf: (dimension: string, value: string) => string;

  constructor(changes: ToldChanges, words: ChangeWords, locale: string, nameOf: (dimension: string, value: string) => string) {
    this.#changes = changes;
    this.#words = words;
    this.#write = new Writer(changes, words, locale);
    this.#nameOf = nameOf;
  }

  #periodDates(): ChangeSegment {
    return this.#write.dates(this.#changes.start_date, this.#changes.end_date);
  }

  #comparedDates(): ChangeSegment {
    const { start_date: first, end_date: last } = this.#changes.comparison;
    return first !== undefined && last !== undefined ? this.#write.dates(first, last) : { text: "" };
  }

  #total(kind: keyof ChangeWords["total"], amount: Amount): ChangeSegment[] {
    return fill(this.#words.total[kind], { amount: this.#write.noun(amount), dates: this.#periodDates() });
  }

  /** The comparison with what is typical. */
  #typicalClause(): ChangeSegment[] | null {
    const { typical, verdict, total, metric } = this.#changes;
    if (typical === null) return null;
    const { clauses } = this.#words;
    const [low, high] = [this.#write.amount(typical.low), this.#write.amount(typical.high)];
    const [counted, expected] = [numberOf(typical.counted), numberOf(typical.expected)];
    const isWithin = counted >= numberOf(typical.low) && counted <= numberOf(typical.high);
    const trend = typical.trend_per_week;
    if (isWithin && Math.abs(trend) >= TREND_MIN && verdict === "ordinary") {
      return fill(trend > 0 ? clauses.usualGrowth : clauses.usualDecline, { low, high, percent: this.#write.percent(Math.abs(trend)) });
    }
    if (isWithin) return fill(clauses.usual, { low, high });
    // Revenue is judged by the number of payments: a single one may take it far out of its range.
    if (!["explained", "broad"].includes(verdict) && metric !== "revenue") return fill(clauses.nearUsual, { low, high });
    const difference = this.#write.difference(typical.expected, typical.counted, total.change !== null);
    if (difference === null) return fill(clauses.plainTypical, { before: this.#write.amount(typical.expected) });
    return fill(counted > expected ? clauses.aboveTypical : clauses.belowTypical, { difference, low, high });
  }

  /** The comparison with the window that was asked for. */
  #periodClause(): ChangeSegment[] | null {
    const { total, comparison } = this.#changes;
    if (comparison.start_date === undefined || total.before === null) return null;
    const { clauses } = this.#words;
    const dates = this.#comparedDates();
    const [before, after] = [numberOf(total.before), numberOf(total.after)];
    // Days without a visit are mostly those before a site's first one.
    if (before === 0) return null;
    if (this.#write.amount(total.before) === this.#write.amount(total.after)) return fill(clauses.samePeriod, { dates });
    const difference = this.#write.difference(total.before, total.after, total.change !== null);
    if (difference === null) return fill(clauses.plainPeriod, { before: this.#write.amount(total.before), dates });
    return fill(after > before ? clauses.abovePeriod : clauses.belowPeriod, { difference, dates });
  }

  #totalSentence(kind: keyof ChangeWords["total"], amount: Amount): readonly ChangeSegment[] {
    const { sentence } = this.#words;
    const total = this.#total(kind, amount);
    const typical = this.#typicalClause();
    const period = kind === "otherDays" ? null : this.#periodClause();
    const clauses = this.#changes.verdict === "ordinary" || period === null ? [typical, period] : [period, typical];
    const [clause, other] = clauses.filter((found) => found !== null);
    return fitting([
      ...(clause && other ? [fill(sentence.three, { total, clause, other })] : []),
      ...(clause ? [fill(sentence.two, { total, clause })] : []),
      fill(sentence.one, { total }),
    ]);
  }

  #valueName(value: Value, charsMax: number): string {
    return cutName(this.#nameOf(value.dimension, value.value), charsMax);
  }

  /** The value, by itself and with what it is one with. */
  #valueParts({ also, drill, filters, ...value }: ToldFinding): ChangeSegment[][] {
    const { value: templates } = this.#words;
    const named = (charsMax: number): ChangeSegment => ({ text: this.#valueName(value, charsMax), filters });
    const long = named(NAME_CHARS_MAX);
    const others = also.slice(0, 2).map((other) => this.#valueName(other, SHORT_NAME_CHARS_MAX));
    return [
      ...(drill ? [fill(templates.drill, { value: long, drill: this.#valueName(drill, NAME_CHARS_MAX) })] : []),
      ...(!drill && others.length > 0 ? [fill(templates.also, { value: long, also: this.#write.list(others) })] : []),
      [long],
      [named(SHORT_NAME_CHARS_MAX)],
    ];
  }

  /** null if the days of a finding are those of the period, or are not in a row. */
  #findingDates({ dates }: ToldFinding): ChangeSegment | null {
    const [first, last] = [dates[0], dates.at(-1)];
    if (first === undefined || last === undefined) return null;
    const isInRow = daysBetween(first, last) === dates.length;
    const isPeriod = first === this.#changes.start_date && last === this.#changes.end_date;
    return isInRow && !isPeriod ? this.#write.dates(first, last) : null;
  }

  #finding(finding: ToldFinding): readonly ChangeSegment[] {
    const { verdict, caveats } = this.#changes;
    const { finding: templates, ordinary: ordinaries, before: befores, unusualBefore } = this.#words;
    const dates = this.#findingDates(finding);
    const parts = {
      after: this.#write.amount(finding.after),
      before: fill(finding.typical === null ? befores.period : befores.typical, {
        before: this.#write.amount(finding.typical ?? finding.before),
      }),
      dates: verdict === "unusual_comparison" ? this.#comparedDates() : (dates ?? ""),
      ordinary: ordinaries[this.#lengthOf(finding, dates)],
    };
    const form = dates === null ? "period" : finding.numbers_of === "dates" ? "dates" : "mostly";
    const isAutomated = finding === this.#changes.findings[0] && caveats.some(({ code }) => code === "bot_like");
    const said = isAutomated
      ? templates.automated
      : verdict === "shifted"
        ? templates.shifted
        : finding.without_value.ordinary === true && verdict === "explained"
          ? templates.without
          : templates.plain;
    const texts = verdict === "unusual_comparison" ? [unusualBefore] : [said[form], templates.plain[form]];
    return fitting(texts.flatMap((text) => this.#valueParts(finding).map((value) => fill(text, { ...parts, value }))));
  }

  /** What a finding's numbers are of, as a kind of period. */
  #lengthOf({ numbers_of: of }: ToldFinding, dates: ChangeSegment | null): keyof ChangeWords["ordinary"] {
    const days = daysBetween(this.#changes.start_date, this.#changes.end_date);
    if (days === 1 || (of === "dates" && dates?.day !== undefined)) return "day";
    return days === WEEK_DAYS && of === "period" ? "week" : "period";
  }

  #caveat({ code, from, to = from, amount }: ToldChanges["caveats"][number]): readonly ChangeSegment[] {
    const dates = from === undefined || to === undefined ? "" : this.#write.times(from, to);
    return fitting([fill(this.#words.caveats[code], { dates, amount: amount === undefined ? "" : this.#write.amount(amount) })]);
  }

  #mix(): readonly ChangeSegment[] | null {
    const { mix } = this.#changes;
    if (!mix) return null;
    const template = this.#words.mix[mix.more ? (mix.higher ? "moreHigher" : "moreLower") : mix.higher ? "fewerHigher" : "fewerLower"];
    return fitting(
      [NAME_CHARS_MAX, SHORT_NAME_CHARS_MAX].map((charsMax) =>
        fill(template, { value: { text: this.#valueName(mix, charsMax), filters: mix.filters } }),
      ),
    );
  }

  #broad(): readonly ChangeSegment[] {
    const { broad } = this.#words;
    const { typical, days } = this.#changes;
    const [day] = days;
    const isPeriodUsual =
      typical !== null && numberOf(typical.counted) >= numberOf(typical.low) && numberOf(typical.counted) <= numberOf(typical.high);
    if (!day || !isPeriodUsual) return fill(broad.period, {});
    return fill(broad.day, {
      dates: this.#write.dates(day.date, day.date),
      after: this.#write.amount(day.value),
      before: this.#write.amount(day.expected),
    });
  }

  /** Days of a long period in order of time; the clearest if not all fit. */
  #longDays(): readonly ChangeSegment[] | null {
    const { days } = this.#changes;
    if (days.length === 0) return null;
    const { days: forms, day: template } = this.#words;
    const told = (count: number): readonly ChangeSegment[] => {
      const chosen = days.slice(0, count).toSorted((a, b) => (a.date < b.date ? -1 : 1));
      const parts = chosen.map(({ date, value, expected }) =>
        fill(template, {
          dates: this.#write.dates(date, date),
          after: this.#write.amount(value),
          before: this.#write.amount(expected),
        }),
      );
      return fill(this.#write.form(forms, count), { days: this.#write.list(parts) });
    };
    return fitting(days.map((_, i) => told(days.length - i)));
  }

  /** What is said after the total. */
  #second(): readonly ChangeSegment[] | null {
    const { verdict, reason, findings, caveats } = this.#changes;
    const imported = caveats.find(({ code }) => code === "imported_days");
    if (imported) return this.#caveat(imported);
    const [first] = findings;
    if (first) return this.#finding(first);
    const mix = this.#mix();
    if (mix) return mix;
    const payment = caveats.find(({ code }) => code === "one_payment");
    if (payment) return this.#caveat(payment);
    if (verdict === "broad") return this.#broad();
    if (reason === "long_period") return this.#longDays();
    if (verdict === "unusual_comparison") return fill(this.#words.broad.comparison, { dates: this.#comparedDates() });
    const isReason = (name: string | undefined): name is keyof ChangeWords["reasons"] => name !== undefined && name in this.#words.reasons;
    return isReason(reason) ? fill(this.#words.reasons[reason], {}) : null;
  }

  texts(): ChangeTexts {
    const { typical, total, caveats, findings, so_far: isSoFar = false, start_date: first, end_date: last } = this.#changes;
    const gap = caveats.find(({ code }) => code === "tracking_gap");
    const second = this.#second();
    const kind = isSoFar ? "soFar" : first === last ? "day" : "days";
    const sentences = gap
      ? [
          this.#caveat(gap),
          ...(findings.length === 0 && typical ? [this.#totalSentence("otherDays", typical.counted)] : second ? [second] : []),
        ]
      : [this.#totalSentence(kind, total.after), ...(second ? [second] : [])];
    return {
      headline: sentences.slice(0, SENTENCES_MAX).flatMap((segments, i) => (i === 0 ? segments : [{ text: " " }, ...segments])),
      findings: findings.map((finding) => this.#finding(finding)),
      caveats: caveats.map((caveat) => this.#caveat(caveat)),
    };
  }
}

/** `nameOf` gives names of values that are fit to be shown: readable, without control characters. */
export const changeTexts = (
  changes: ToldChanges,
  words: ChangeWords,
  locale: string,
  nameOf: (dimension: string, value: string) => string,
): ChangeTexts => new Teller(changes, words, locale, nameOf).texts();
