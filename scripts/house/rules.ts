/** The architecture rules as data: `scripts/layers.ts` enforces them, ARCHITECTURE.md shows them. */

export interface Room {
  /** Its single responsibility, as shown in ARCHITECTURE.md. */
  readonly does: string;
  /** Rooms or single files that it may import, including type imports. */
  readonly mayImport: readonly string[];
  /** Files that other rooms may import; default: all. */
  readonly doors?: readonly string[];
  /** Files that only the assembling rooms may import. */
  readonly makers?: readonly string[];
}

/** From the bottom up. A room is a folder of `src`, or a file at its root. */
export const rooms: Readonly<Record<string, Room>> = {
  base: {
    does: "shared utilities: errors, secrets, deadlines, address checks, linear-time regular expressions, logging",
    mayImport: [],
  },
  plugin: {
    does: "the plugin API, imported as `patchbay/plugin`",
    mayImport: ["base"],
  },
  model: {
    does: "schemas of requests, jobs, plugins and workers, which validate external input",
    mayImport: ["base"],
  },
  checks: {
    does: "checks around a push: when each runs, whether it passes, what the record shows",
    mayImport: ["model", "base"],
  },
  config: {
    does: "settings from flags, environment, file and defaults; the master key",
    mayImport: ["base"],
    doors: ["config.ts", "settings.ts", "master-key.ts"],
  },
  auth: {
    does: "API keys, callers, and the single function that decides which hosts a key may reach",
    mayImport: ["model", "base"],
    doors: ["port.ts", "caller.ts", "reach.ts", "credentials.ts", "rights.ts", "selected.ts", "make-key.ts"],
    makers: ["keys.ts"],
  },
  protocol: {
    does: "messages between the main thread and its workers",
    mayImport: ["plugin", "model", "base"],
  },
  registry: {
    does: "discovers, validates and lists plugins and their settings",
    mayImport: ["protocol", "plugin", "cli/platform.ts", "base"],
    doors: [
      "registry.ts",
      "settings.ts",
      "fields.ts",
      "loader.ts",
      "discover.ts",
      "manifest.ts",
      "plugin-fault.ts",
      "plugin-schemas.ts",
      "reloadable.ts",
      "trial.ts",
      "secret-fields.ts",
      "named-credential.ts",
    ],
  },
  runtime: {
    does: "everything specific to the Bun or Deno runtime",
    mayImport: ["base", "protocol", "plugin"],
  },
  ssh: {
    does: "SSH connections: login, host keys, jump hosts, exec, file transfer",
    mayImport: ["plugin", "base", "runtime/ssh2-compat.ts"],
    doors: ["connect.ts", "connection.ts", "ssh2.ts"],
  },
  telnet: {
    does: "Telnet connections",
    mayImport: ["base"],
    doors: ["telnet.ts"],
  },
  netconf: {
    does: "NETCONF sessions on a stream: hello exchange, framing, RPCs and replies",
    mayImport: ["plugin", "base"],
    doors: ["session.ts"],
  },
  cli: {
    does: "a device's CLI: prompts, privilege levels, pagers, confirmation questions, pushes",
    mayImport: ["plugin", "base"],
    doors: ["session.ts", "fresh-shell.ts", "platform.ts"],
  },
  executor: {
    does: "runs one task on a device thread or in a template process: a query, a push, a render, a webhook delivery",
    mayImport: [
      "auth",
      "checks",
      "protocol",
      "registry",
      "plugin",
      "cli",
      "netconf",
      "ssh",
      "telnet",
      "inventory/import/read.ts",
      "runtime/http-agent.ts",
      "model",
      "base",
    ],
    doors: ["runner.ts"],
  },
  pool: {
    does: "starts device threads and template processes, assigns tasks to them and kills them",
    mayImport: ["protocol", "base", "runtime"],
    doors: ["port.ts"],
    makers: ["pool.ts", "template-pool.ts"],
  },
  store: {
    does: "the persistent queue: claims, leases, results, sealed payloads, audit trail",
    mayImport: ["model", "base", "migrations"],
    doors: ["port.ts"],
    makers: [
      "libsql/store.ts",
      "libsql/database/connect.ts",
      "libsql/database/file-lock.ts",
      "libsql/database/lock.ts",
      "libsql/database/writable.ts",
    ],
  },
  queue: {
    does: "shared by jobs and scheduler: backlog, limits, job events, login throttling, payloads",
    mayImport: ["auth", "store", "pool", "model", "base"],
    doors: ["port.ts", "in-flight.ts", "payload.ts", "template-source.ts", "template-set.ts"],
    makers: [
      "admission.ts",
      "backlog.ts",
      "credential-use.ts",
      "detached.ts",
      "job-events.ts",
      "login-gate.ts",
    ],
  },
  inventory: {
    does: "devices and groups: a snapshot with inherited values, selectors, transactional changes, import and export",
    mayImport: ["store", "model", "base", "auth"],
    doors: [
      "port.ts",
      "exchange-port.ts",
      "sources-port.ts",
      "import/read.ts",
      "selector.ts",
      "matching-devices.ts",
    ],
    makers: ["exchange.ts", "inventory.ts", "selected-hosts.ts", "observations.ts", "sources.ts"],
  },
  jobs: {
    does: "operations of callers: submit, list, cancel, render, test a connection",
    mayImport: [
      "checks",
      "inventory",
      "queue",
      "store",
      "registry",
      "pool",
      "plugin",
      "model",
      "base",
      "auth",
    ],
    doors: ["port.ts"],
    makers: ["jobs.ts"],
  },
  schedules: {
    does: "schedules: due times, missed times, exactly one firing for each time",
    mayImport: ["jobs", "store", "model", "base", "auth"],
    doors: ["port.ts"],
    makers: ["schedules.ts"],
  },
  webhooks: {
    does: "stored webhooks: what has happened becomes messages in the forms of their receivers",
    mayImport: ["jobs", "queue", "store", "model", "base", "auth"],
    doors: ["port.ts"],
    makers: ["webhooks.ts"],
  },
  events: {
    does: "event streams with a position: job changes, bulk counts, live device output",
    mayImport: ["queue", "store", "model", "base", "auth"],
    doors: ["port.ts", "position.ts"],
    makers: ["events.ts"],
  },
  files: {
    does: "the transfer folder of this node over the API: upload, download, list, delete",
    mayImport: ["auth", "model", "base"],
    doors: ["port.ts"],
    makers: ["files.ts"],
  },
  backup: {
    does: "archives of a data directory: writes, encrypts, reads and verifies them against their manifest",
    mayImport: ["base"],
    doors: ["manifest.ts", "read.ts", "tar.ts", "write.ts"],
  },
  scheduler: {
    does: "background work: claims, leases, attempts, settlement, webhook delivery, recovery, retention",
    mayImport: ["checks", "queue", "store", "pool", "protocol", "tracing", "model", "base"],
    doors: [],
    makers: ["backup-schedule.ts", "scheduler.ts", "lease-clock.ts"],
  },
  tracing: {
    does: "OpenTelemetry traces of requests, jobs and attempts",
    mayImport: ["protocol"],
    doors: ["port.ts", "none.ts"],
    makers: ["tracing.ts", "exporter.ts"],
  },
  metrics: {
    does: "Prometheus metrics: job outcomes, request and store latency",
    mayImport: ["queue"],
    doors: ["port.ts"],
    makers: ["metrics.ts"],
  },
  http: {
    does: "routes, response envelope, status codes, request limits, OpenAPI",
    mayImport: [
      "jobs",
      "inventory",
      "schedules",
      "webhooks",
      "events",
      "files",
      "queue",
      "registry",
      "metrics",
      "auth",
      "model",
      "base",
    ],
    doors: ["port.ts"],
    makers: ["app.ts", "request-facts.ts", "respond.ts"],
  },
  client: {
    does: "the command-line client: a client of the public HTTP API, host lists, terminal output",
    mayImport: ["model", "base"],
  },
  console: {
    does: "the web console: a bundled single-page app that uses the public API only",
    mayImport: [
      "model",
      "base/check-text.ts",
      "base/csv-cell.ts",
      "base/error-advice.ts",
      "base/exact-json.ts",
      "base/line-diff.ts",
      "base/request-line.ts",
    ],
    doors: [],
  },
  simulator: {
    does: "simulated devices that speak SSH or Telnet",
    mayImport: ["plugin", "ssh/ssh2.ts", "base/join-writes.ts"],
    doors: ["simulator.ts", "answers.ts", "faults.ts", "transcripts.ts"],
  },
  testkit: {
    does: "contract suites and test doubles for plugin authors, imported as `patchbay/testkit`",
    mayImport: ["simulator", "plugin", "cli/platform.ts", "model", "base"],
    doors: ["index.ts"],
  },
  service: {
    does: "assembles the service from store, pools, scheduler and HTTP; starts and drains it",
    mayImport: [
      "auth",
      "backup",
      "base",
      "config",
      "events",
      "files",
      "http",
      "inventory",
      "jobs",
      "metrics",
      "migrations",
      "model",
      "plugins",
      "pool",
      "protocol",
      "queue",
      "registry",
      "runtime",
      "scheduler",
      "schedules",
      "store",
      "tracing",
      "webhooks",
    ],
  },
  commands: {
    does: "the command line, one file or folder per command",
    mayImport: [
      "client",
      "service",
      "inventory/selector.ts",
      "auth",
      "base",
      "config",
      "model",
      "plugin",
      "plugins",
      "registry",
      "simulator",
      "store",
    ],
    doors: ["index.ts"],
  },
  main: {
    does: "the entry point of the program",
    mayImport: ["commands", "protocol", "registry/trial.ts", "thread", "runtime"],
  },
  thread: {
    does: "the entry point of a device thread or template process",
    mayImport: ["executor", "plugins", "protocol", "runtime"],
  },
  plugins: {
    does: "the built-in drivers, platforms, template engines, webhooks and credential sources; each family imports itself and `patchbay/plugin` only",
    mayImport: ["patchbay/plugin"],
    doors: ["index.ts"],
  },
  migrations: {
    does: "database migrations of the store",
    mayImport: [],
    doors: ["index.ts"],
  },
};

export { assemblers, libraries } from "./library-rules.ts";
export { mayNamePlugins, namesThatAreWords } from "./name-rules.ts";
export { words } from "./word-rules.ts";
