/** The shell commands of the docs, classified: run, checked, or skipped for a reason. */
import { MAIN_PATH } from "../support/built.ts";
import { codeBlocksOf, PAGES } from "./pages.ts";

export interface DocumentedCommand {
  readonly page: string;
  /** One line, with its continuations joined and without a comment at its end. */
  readonly command: string;
}

/**
 * - `setup`: a curl request that sets the password, for an instance of its own that has none
 * - `open`: a curl request to an instance without a password
 * - `secured`: a curl request with a session, a key or a token, or to an instance with a password
 * - `program`: a command of the built program
 * - `npm`: names of scripts in package.json, files and options are looked up; the tests of the project run them
 * - `by-hand`: what cannot run in a test; `BY_HAND` says why
 */
export type Kind = "setup" | "open" | "secured" | "program" | "npm" | "by-hand" | "unknown";

/** Commands that tests do not run, each with the reason. */
export const BY_HAND: Readonly<Record<string, string>> = {
  "sandpiper reindex --data-dir /var/lib/sandpiper": "test/fault/reindex-kill.test.ts runs it against ClickHouse",
  "sandpiper import example.com export.zip --data-dir /var/lib/sandpiper":
    "asks before it imports; test/unit/adapters/node/import-flow.test.ts runs its flow",
  "sandpiper import example.com access.log --yes --url https://stats.example.com --key import.key":
    "needs a key of the server; test/program/import.test.ts runs it",
  "sandpiper import --follow example.com /var/log/nginx/access.log --url https://stats.example.com --key import.key":
    "goes on until it is ended; test/program/import-follow.test.ts runs it",
  "npm install --prefix /srv/geo --ignore-scripts @ip-location-db/geo-whois-asn-country-mmdb@latest":
    "test/docs/geo-refresh.test.ts runs it without a registry",
  ...Object.fromEntries(
    [
      "mkdir -p /srv/crawlers",
      "curl -fsS https://openai.com/gptbot.json -o /srv/crawlers/GPTBot.json",
      "curl -fsS https://openai.com/searchbot.json -o /srv/crawlers/OAI-SearchBot.json",
      "curl -fsS https://openai.com/chatgpt-user.json -o /srv/crawlers/ChatGPT-User.json",
    ].map((command) => [
      command,
      "is for root, or asks a server of OpenAI; test/docs/crawler-addresses.test.ts starts with files of these names",
    ]),
  ),
  "npx sandpiper-analytics": "test/install/package.test.ts installs and runs the package",
  "npm install --global sandpiper-analytics": "test/install/package.test.ts installs and runs the package",
  'npm install --global "./$(npm pack --silent)"': "test/install/package.test.ts packs a clone and installs what it has packed",
  'claude mcp add --transport http sandpiper https://stats.example.com/api/mcp --header "Authorization: Bearer $KEY"':
    "needs Claude Code; test/http/mcp.suite.ts connects the official client",
  "npx wrangler dev": "test/http/wrangler-dev.test.ts runs it",
  "npx wrangler login": "needs an account at Cloudflare",
  "npx wrangler r2 bucket create sandpiper-partitions": "needs an account at Cloudflare",
  "npx wrangler secret put SVC_ADMIN_PASSWORD": "needs an account at Cloudflare",
  "npx wrangler deploy": "needs an account at Cloudflare",
  "node test/bench/soak.mjs 60": "takes an hour",
  "node test/bench/crash.mjs 100": "takes many minutes",
  "node test/bench/overload.mjs 1000000 10000": "takes many minutes",
  "node test/bench/eviction.mjs 3200000 32": "takes many minutes",
  "node test/bench/compaction.mjs 2000000 200": "takes many minutes",
  "node test/bench/chunks.mjs 256 40000000 365": "takes many minutes",
  "node test/bench/clickhouse.mjs 5": "takes many minutes",
  "node test/bench/ingest-node.mjs": "takes many minutes",
  "node test/bench/cluster.mjs 200000": "takes minutes; test/fault/cluster-kill.test.ts runs it with fewer events",
  ...Object.fromEntries(
    [
      "docker build --pull --tag sandpiper .",
      "docker run --detach --name sandpiper --restart unless-stopped --log-driver local --publish 127.0.0.1:8000:8000 --volume sandpiper:/data --read-only --cap-drop ALL --security-opt no-new-privileges --env SVC_ENGINE_MEMORY_MB=512 --memory 1536m sandpiper",
      "docker compose up --detach --build --wait",
      "docker compose up --detach --wait",
      "docker compose build --pull",
      "docker compose logs --follow sandpiper",
      "docker compose exec sandpiper sandpiper verify",
      "docker exec sandpiper sandpiper verify",
      "kubectl exec sandpiper-0 -- sandpiper verify",
      "docker compose run --rm --no-deps --volume /var/backups/sandpiper:/backup sandpiper backup /backup --keep 14",
      "docker compose run --rm --no-deps --volume /var/backups/sandpiper:/backup sandpiper restore /backup",
      "docker compose stop sandpiper",
      "docker run --rm --interactive --tty --volumes-from sandpiper sandpiper reset-password",
    ].map((command) => [command, "test/deploy/documented-commands.test.ts checks its arguments; test/deploy/image.test.ts runs the image"]),
  ),
  'docker compose exec caddy wget -qO- --header "Authorization: Bearer $(cat secrets/metrics_token)" http://sandpiper:8000/metrics':
    "needs Docker",
  "sandpiper >> /var/log/sandpiper.log 2>&1": "test/docs/log-rotation.test.ts runs it",
  "systemctl show sandpiper --property=Environment": "needs systemd",
  "git pull": "asks the repository's server",
  "docker logs sandpiper": "needs Docker",
  "docker stop sandpiper": "needs Docker",
  "docker start sandpiper": "needs Docker",
  "docker buildx imagetools inspect node:24-slim": "asks a registry",
  "docker buildx imagetools inspect gcr.io/distroless/nodejs24-debian13:nonroot": "asks a registry",
  "docker tag sandpiper registry.example.com/sandpiper:VERSION": "needs a registry",
  "docker push registry.example.com/sandpiper:VERSION": "needs a registry",
  "kubectl apply -f deploy/kubernetes.yaml": "needs a cluster; test/deploy/kubernetes.test.ts reads the file",
  "kubectl rollout status statefulset/sandpiper": "needs a cluster",
  ...Object.fromEntries(
    [
      "echo DOMAIN=stats.example.com > .env",
      "mkdir -m 0700 secrets",
      "openssl rand -base64 24 > secrets/admin_password",
      "openssl rand -hex 24 > secrets/metrics_token",
      "chmod 0444 secrets/*",
    ].map((command) => [command, "test/deploy/documented-commands.test.ts runs it"]),
  ),
  ...Object.fromEntries(
    [
      "install -d -m 0700 -o 65532 -g 65532 /srv/sandpiper",
      "install -d -m 0700 -o 65532 -g 65532 /var/backups/sandpiper",
      "npm install --global --prefix /opt/sandpiper sandpiper-analytics",
      "runuser -u sandpiper -- /opt/sandpiper/bin/sandpiper verify --data-dir /var/lib/sandpiper",
    ].map((command) => [command, "changes the system, as root; test/deploy holds its names to the files in deploy/"]),
  ),
  ...Object.fromEntries(
    [
      "umask 0022",
      "env -i PATH=/usr/local/bin:/usr/bin:/bin node --version",
      "getent passwd sandpiper || useradd --system --home-dir /var/lib/sandpiper --shell /usr/sbin/nologin sandpiper",
      'npm install --global --prefix /opt/sandpiper "./$(npm pack --silent)"',
      "install -d -m 0700 /etc/sandpiper",
      "[ -s /etc/sandpiper/admin_password ] || (umask 0077; head -c 18 /dev/urandom | base64 > /etc/sandpiper/admin_password)",
      "install -m 0644 deploy/sandpiper.service /etc/systemd/system/",
      "systemctl daemon-reload",
      "systemctl enable --now sandpiper",
      "cat /etc/sandpiper/admin_password",
    ].map((command) => [command, "test/install/package.test.ts pastes it into a shell, but changes no users and services"]),
  ),
  ...Object.fromEntries(
    [
      "cp -R /home/ada/.nvm/versions/node/v24.11.0 /opt/node",
      "ln -s /opt/node/bin/node /opt/node/bin/npm /usr/local/bin/",
      "systemctl disable --now sandpiper",
      "rm -rf /etc/systemd/system/sandpiper.service /etc/systemd/system/sandpiper.service.d",
      "rm -rf /opt/sandpiper /etc/sandpiper /var/lib/sandpiper",
      "userdel sandpiper",
      "rsync --archive --exclude=/lock /var/lib/sandpiper/ root@new.example.net:/var/lib/sandpiper/",
      "rsync --archive /etc/sandpiper root@new.example.net:/etc/",
      "chown -R sandpiper:sandpiper /var/lib/sandpiper",
      "systemctl start sandpiper",
    ].map((command) => [command, "changes the machine, as root"]),
  ),
  "rm setup.json": "deletes the reader's own file",
  "TOKEN=…": "stands for the reader's own token",
};

/** The program, with its environment before it. */
const PROGRAM = /^((?:\w+=\S+ )*)sandpiper(?= |$)/m;

/** The commands, one on each line, with the tests' build in the place of the installed program. */
export const withBuiltProgram = (commands: string): string =>
  commands.replaceAll(new RegExp(PROGRAM, "gm"), `$1"${process.execPath}" "${MAIN_PATH}"`);

/** A variable that holds a reader's own secret. */
export const CREDENTIAL = /\$(TOKEN|KEY|ADMIN_KEY|METRICS_TOKEN|SHARE)\b/;

/** The commands of a block, one line each. */
export const commandsIn = (code: string): string[] =>
  code
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");

/** Pages whose commands build on one another have a test of their own (`http-api-examples.test.ts`, `backup.test.ts`). */
const STORIES = ["docs/http-api.md", "docs/backup.md"];

export const COMMANDS: readonly DocumentedCommand[] = PAGES.filter(({ path }) => !STORIES.includes(path)).flatMap((page) =>
  codeBlocksOf(page)
    .filter(({ language }) => language === "sh")
    .flatMap(({ code }) => commandsIn(code).map((command) => ({ page: page.path, command }))),
);

export function kindOf({ command }: DocumentedCommand): Kind {
  if (command in BY_HAND) return "by-hand";
  if (command.startsWith("curl ")) {
    if (command.includes("/api/auth/setup")) return "setup";
    return CREDENTIAL.test(command) || command.includes("/api/auth/log") ? "secured" : "open";
  }
  if (PROGRAM.test(command)) return "program";
  return /^(\w+=\S+ )*(npm|npx vitest) /.test(command) ? "npm" : "unknown";
}

/** Each once, with the first page that has it. */
export function commandsOfKind(kind: Kind): DocumentedCommand[] {
  const known = new Set<string>();
  return COMMANDS.filter((documented) => {
    if (kindOf(documented) !== kind || known.has(documented.command)) return false;
    known.add(documented.command);
    return true;
  });
}
