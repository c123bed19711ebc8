/** English words of dialogs, settings and other pages, which load with the first of them. They declare the keys for the other languages. */
export const enLater = {
  /** Values of dimensions, by the names in the API. */
  valueCounts: {
    channels: { one: "{count} channel", other: "{count} channels" },
    sources: { one: "{count} source", other: "{count} sources" },
    referrers: { one: "{count} referrer", other: "{count} referrers" },
    "utm-campaigns": { one: "{count} campaign", other: "{count} campaigns" },
    "utm-sources": { one: "{count} UTM source", other: "{count} UTM sources" },
    "utm-mediums": { one: "{count} UTM medium", other: "{count} UTM mediums" },
    "utm-contents": { one: "{count} UTM content", other: "{count} UTM contents" },
    "utm-terms": { one: "{count} UTM term", other: "{count} UTM terms" },
    hostnames: { one: "{count} hostname", other: "{count} hostnames" },
    pages: { one: "{count} page", other: "{count} pages" },
    "entry-pages": { one: "{count} entry page", other: "{count} entry pages" },
    "exit-pages": { one: "{count} exit page", other: "{count} exit pages" },
    countries: { one: "{count} country", other: "{count} countries" },
    regions: { one: "{count} region", other: "{count} regions" },
    cities: { one: "{count} city", other: "{count} cities" },
    browsers: { one: "{count} browser", other: "{count} browsers" },
    "browser-versions": { one: "{count} browser version", other: "{count} browser versions" },
    os: { one: "{count} operating system", other: "{count} operating systems" },
    "os-versions": { one: "{count} OS version", other: "{count} OS versions" },
    "screen-sizes": { one: "{count} screen size", other: "{count} screen sizes" },
    devices: { one: "{count} device type", other: "{count} device types" },
    events: { one: "{count} event", other: "{count} events" },
  },
} as const;
