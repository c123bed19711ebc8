/** The names under which browsers and systems are recorded, and how much of a version, whether from a User-Agent or a client hint. */

/** Name of the User-Agent parser or the hint, in lower case -> recorded name. Other names stay as they are. */
const BROWSER_NAMES: ReadonlyMap<string, string> = new Map([
  ["avast secure browser", "Avast Secure Browser"],
  ["chrome headless", "Chrome Headless"],
  ["chrome webview", "Android WebView"],
  ["coccoc", "Coc Coc"],
  ["google chrome", "Chrome"],
  ["gsa", "Google App"],
  ["headlesschrome", "Chrome Headless"],
  ["huaweibrowser", "Huawei Browser"],
  ["ie", "Internet Explorer"],
  ["iemobile", "Internet Explorer"],
  ["microsoft edge", "Edge"],
  ["microsoft edge webview2", "Edge WebView2"],
  ["miuibrowser", "MIUI Browser"],
  ["mobile safari", "Safari"],
  ["opera mobi", "Opera"],
  ["opera tablet", "Opera"],
  ["operamobile", "Opera"],
  ["qqbrowser", "QQ Browser"],
  ["samsungbrowser", "Samsung Internet"],
  ["ucbrowser", "UC Browser"],
  ["xiaomi browser", "MIUI Browser"],
  ["yabrowser", "Yandex"],
  ["yandex browser", "Yandex"],
]);

const OS_NAMES: ReadonlyMap<string, string> = new Map([
  ["android-x86", "Android"],
  ["chrome os", "ChromeOS"],
  ["chromium os", "ChromeOS"],
  ["linux", "Linux"],
  ["mac os", "macOS"],
  ["mac os x", "macOS"],
  ["macos", "macOS"],
  // Hints, and the browsers of most distributions, say "Linux" for all of these: separate names would only split the counts.
  ...[
    "arch",
    "centos",
    "debian",
    "deepin",
    "elementary os",
    "fedora",
    "gentoo",
    "gnu",
    "kubuntu",
    "linpus",
    "linspire",
    "lubuntu",
    "mageia",
    "mandriva",
    "manjaro",
    "mint",
    "opensuse",
    "pclinuxos",
    "raspbian",
    "red hat",
    "redhat",
    "sabayon",
    "slackware",
    "suse",
    "ubuntu",
    "vectorlinux",
    "xubuntu",
    "zenwalk",
  ].map((name): [string, string] => [name, "Linux"]),
]);

/** Systems with versions that are words: Windows XP, Xbox One, Nintendo Switch. */
const OS_WITH_WORD_VERSIONS: ReadonlySet<string> = new Set(["Nintendo", "Windows", "Xbox"]);

const VERSION_WORD = /^[A-Za-z][A-Za-z0-9 .]{0,19}$/;

// Longer numbers are not versions.
const VERSION_NUMBER = /^(\d{1,9})(?!\d)(?:\.(\d{1,9})(?!\d))?/;

/** The recorded name of a browser. */
export function browserNameFrom(name: string): string {
  return BROWSER_NAMES.get(name.toLowerCase()) ?? name;
}

/** The recorded name of an operating system. */
export function osNameFrom(name: string): string {
  return OS_NAMES.get(name.toLowerCase()) ?? name;
}

/**
 * Major and minor version, the latter only when it is not zero: `124.0.6367.60` -> `124`, `17.4.1` -> `17.4`. More parts would
 * split breakdowns into rows of a few visitors each. `null` when the text does not start with a number.
 */
export function versionFrom(version: string): string | null {
  const [, major, minor] = VERSION_NUMBER.exec(version) ?? [];
  if (major === undefined) return null;
  return minor === undefined || Number(minor) === 0 ? major : `${major}.${minor}`;
}

/**
 * The version of an operating system; `os` is its recorded name. Linux has none: what follows it in a User-Agent is the CPU architecture.
 */
export function osVersionFrom(version: string, os: string): string | null {
  if (os === "Linux") return null;
  if (OS_WITH_WORD_VERSIONS.has(os) && VERSION_WORD.test(version)) return version;
  return versionFrom(version);
}
