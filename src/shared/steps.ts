/** Steps of funnels and sequences are joined by commas, so a comma in a step is written `%2C`, and a literal `%2C` as `%252C` (docs/http-api.md, "Funnel"). */

export const escapeCommas = (step: string): string => step.replaceAll(/%(2C)/gi, "%25$1").replaceAll(",", "%2C");

export const unescapeCommas = (written: string): string =>
  written.replaceAll(/%(25)?(2C)/gi, (_, percent?: string, code?: string) => (percent === undefined ? "," : `%${code}`));
