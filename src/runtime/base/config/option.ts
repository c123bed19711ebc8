/** What an option is: a kind of value, a default, a description, and the hosts that read it. */

/** A checked value, or what was found in its place: `got` completes "…, got …". */
export type Checked<Value> = { readonly value: Value } | { readonly got: string };

export interface OptionKind<Value> {
  /** Completes "… must be …", e.g. `an integer from 0 to 65535`. */
  readonly expected: string;
  /** True when no message may quote the value. */
  readonly secret: boolean;
  /** The TOML value that an environment variable stands for. Text that stands for none is returned as it is, for `check` to refuse. */
  valueFromText(text: string): unknown;
  check(value: unknown): Checked<Value>;
}

export type Platform = "node" | "workerd";

export interface Option<Value> {
  readonly kind: OptionKind<Value>;
  readonly default: Value;
  /** Where workerd needs another default. */
  readonly defaultOnWorkerd?: Value;
  /** What the documentation shows in place of a default that explains itself badly. */
  readonly defaultInWords?: string;
  /** One or two sentences of Markdown. */
  readonly description: string;
  readonly platform: Platform | "both";
}

/** Infers `Value` from the kind alone, so that a default of another type does not compile. */
export function option<Value>(
  kind: OptionKind<Value>,
  facts: {
    default: NoInfer<Value>;
    defaultOnWorkerd?: NoInfer<Value>;
    defaultInWords?: string;
    description: string;
    platform?: Platform;
  },
): Option<Value> {
  return { platform: "both", ...facts, kind };
}
