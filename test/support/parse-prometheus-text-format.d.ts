/** The library comes without types. What it returns is described where it is used. */
declare module "parse-prometheus-text-format" {
  export default function parsePrometheusTextFormat(text: string): unknown;
}
