/** What a stored version may mean: browsers have stopped to say newer ones, so it is shown as "10.15 or later" (docs/http-api.md, "Versions that stand still"). */

/** Versions at which the User-Agents of a system stand still, and how they are shown. Safari froze that of iOS with version 26. */
const FROZEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  macOS: { "10.15": "10.15 or later" },
  Windows: { "10": "10 or 11" },
  Android: { "10": "10 or later" },
  iOS: { "18.6": "18.6 or later", "18.7": "18.7 or later" },
  iPadOS: { "18.6": "18.6 or later", "18.7": "18.7 or later" },
  ChromeOS: { "14541": "14541 or later" },
};

/** Labels in a list of the versions of all systems: what holds for each of them. */
const OF_ANY_SYSTEM: Readonly<Record<string, string>> = { "10": "10 or later", "10.15": "10.15 or later" };

/** The label of a stored version of an operating system; `os` is the recorded name, null if the version may be that of any. */
export function osVersionLabel(version: string, os: string | null): string {
  const labels = os === null ? OF_ANY_SYSTEM : Object.hasOwn(FROZEN, os) ? FROZEN[os] : undefined;
  return labels !== undefined && Object.hasOwn(labels, version) ? (labels[version] ?? version) : version;
}
