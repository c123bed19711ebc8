/** What browsers and systems are called and how much of a version is kept, whether a User-Agent or a client hint said it. */

/** Names in small letters, as the User-Agent parser or a hint has them -> the name that is recorded. Others stay as they are. */
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
  // Hints say "Linux" for all of these, and most distributions' browsers do too: told apart, the figures would only split.
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

/** Systems whose versions are words: Windows XP, Xbox One, Nintendo Switch. */
const OS_WITH_WORD_VERSIONS: ReadonlySet<string> = new Set(["Nintendo", "Windows", "Xbox"]);

const VERSION_WORD = /^[A-Za-z][A-Za-z0-9 .]{0,19}$/;

// Longer numbers are nobody's version.
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
 * A version's major and minor number, the latter only when it is not zero: `124.0.6367.60` -> `124`, `17.4.1` -> `17.4`.
 * What follows would make rows of a few visitors each. `null` when the text does not begin with a number.
 */
export function versionFrom(version: string): string | null {
  const [, major, minor] = VERSION_NUMBER.exec(version) ?? [];
  if (major === undefined) return null;
  return minor === undefined || Number(minor) === 0 ? major : `${major}.${minor}`;
}

/** An operating system's version; `os` is its recorded name. What follows "Linux" in a User-Agent is the processor. */
export function osVersionFrom(version: string, os: string): string | null {
  if (os === "Linux") return null;
  if (OS_WITH_WORD_VERSIONS.has(os) && VERSION_WORD.test(version)) return version;
  return versionFrom(version);
}
