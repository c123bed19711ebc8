/** Exceptions as ClickHouse words them, and the HTTP status of each. */

export class Exception extends Error {
  constructor(code, name, text) {
    super(`Code: ${code}. DB::Exception: ${text}. (${name})`);
  }
}

/** The codes of each status, as in ClickHouse's src/Server/HTTP/exceptionCodeToHTTPStatus.cpp. All others have 500. */
const CODES_OF_STATUS = {
  400: [6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676],
  401: [194],
  403: [192, 193, 497, 512, 516],
  404: [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511],
  408: [159],
  413: [229],
  501: [48],
  503: [76, 209, 439],
};

const STATUSES = new Map(Object.entries(CODES_OF_STATUS).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)])));

export const statusOf = (code) => STATUSES.get(code) ?? 500;
