/** How metrics are spelled: the Prometheus text format, version 0.0.4. */

export interface Sample {
  /** Behind the family's name: histograms have several series. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** One sentence. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4";

const escaped = (text: string): string => text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n");

const escapedLabel = (text: string): string => escaped(text).replace(/"/g, '\\"');

function sampleLine(name: string, { suffix = "", labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedLabel(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}

export function renderMetrics(families: readonly MetricFamily[]): string {
  return families
    .map(({ name, type, help, samples }) => {
      const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
      return head + samples.map((sample) => sampleLine(name, sample)).join("");
    })
    .join("");
}
