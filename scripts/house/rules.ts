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

/** From the bottom up. A room is a folder of `src` (of `src/device`: a folder in it), or a file at its root. */
export const rooms: Readonly<Record<string, Room>> = {
  base: {
    does: "shared utilities: errors, secrets, deadlines, address checks, linear-time regular expressions, logging",
    mayImport: [],
  },
  plugin: {
    does: "the plugin API, imported as `patchbay/plugin`",
    mayImport: ["base"],
  },
  api: {
    does: "schemas of requests, jobs, plugins and workers, which validate external input",
    mayImport: ["base"],
  },
  checks: {
    does: "checks around a push: when each runs, whether it passes, what the record shows",
    mayImport: ["api", "base"],
  },
  config: {
    does: "settings from flags, environment, file and defaults; the master key",
    mayImport: ["base"],
    doors: ["config.ts", "settings.ts", "master-key.ts"],
  },
  auth: {
    does: "API keys, callers, and the single function that decides which hosts a key may reach",
    mayImport: ["api", "base"],
    doors: ["port.ts", "caller.ts", "reach.ts", "credentials.ts", "rights.ts", "selected.ts", "make-key.ts"],
    makers: ["keys.ts"],
  },
  protocol: {
    does: "messages between the main thread and its workers",
    mayImport: ["plugin", "api", "base"],
  },
  registry: {
    does: "discovers, validates and lists plugins and their settings",
    mayImport: ["protocol", "plugin", "device/cli/platform.ts", "base"],
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
      "inventory-formats.ts",
      "inventory-sources.ts",
    ],
  },
  runtime: {
    does: "everything specific to the Bun or Deno runtime",
    mayImport: ["base", "protocol", "plugin"],
  },
  "device/ssh": {
    does: "SSH connections: login, host keys, jump hosts, exec, file transfer",
    mayImport: ["plugin", "base", "runtime/native/ssh2-compat.ts"],
    doors: ["connect.ts", "connection.ts", "ssh2.ts"],
  },
  "device/telnet": {
    does: "Telnet connections",
    mayImport: ["base"],
    doors: ["telnet.ts"],
  },
  "device/netconf": {
    does: "NETCONF sessions on a stream: hello exchange, framing, RPCs and replies",
    mayImport: ["plugin", "base"],
    doors: ["session.ts"],
  },
  "device/cli": {
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
      "device/cli",
      "device/netconf",
      "device/ssh",
      "device/telnet",
      "runtime/net/http-agent.ts",
      "api",
      "base",
    ],
    doors: ["runner.ts"],
  },
  pool: {
    does: "starts device threads and template processes, assigns tasks to them and kills them",
    mayImport: ["protocol", "api", "base", "runtime"],
    doors: ["port.ts", "template-source.ts", "template-set.ts"],
    makers: ["pool.ts", "template-pool.ts"],
  },
  store: {
    does: "the persistent queue: claims, leases, results, sealed payloads, audit trail",
    mayImport: ["api", "base", "migrations"],
    doors: ["port.ts"],
    makers: [
      "libsql/store.ts",
      "libsql/database/connect.ts",
      "libsql/database/file-lock.ts",
      "libsql/database/lock.ts",
      "libsql/database/writable.ts",
    ],
  },
  limits: {
    does: "what a caller may use: backlog, quotas, rates, fair shares, login throttling, use of credentials",
    mayImport: ["auth", "store", "api", "base"],
    doors: ["port.ts", "in-flight.ts", "share-tree.ts"],
    makers: ["admission.ts", "backlog.ts", "credential-use.ts", "login-gate.ts"],
  },
  inventory: {
    does: "devices and groups: a snapshot with inherited values, selectors, transactional changes, import and export",
    mayImport: ["store", "api", "base", "auth"],
    doors: ["port.ts", "exchange-port.ts", "sources-port.ts", "selector.ts", "matching-devices.ts"],
    makers: ["exchange.ts", "inventory.ts", "selected-hosts.ts", "observations.ts", "sources.ts"],
  },
  jobs: {
    does: "operations of callers: submit, list, cancel, retry, render, test a connection",
    mayImport: [
      "checks",
      "events",
      "inventory",
      "limits",
      "store",
      "registry",
      "pool",
      "plugin",
      "api",
      "base",
      "auth",
    ],
    doors: [
      "port.ts",
      "job-conditions.ts",
      "select-filter.ts",
      "request/connection.ts",
      "request/request-summary.ts",
      "request/validate.ts",
    ],
    makers: ["jobs.ts"],
  },
  detached: {
    does: "tasks that jobs left running on servers: asks for them, lists, stops and removes them",
    mayImport: ["jobs", "limits", "pool", "store", "api", "base", "auth"],
    doors: ["port.ts", "upkeep.ts"],
    makers: ["queries.ts", "tasks.ts"],
  },
  admin: {
    does: "administration: keys, sessions, credentials, host keys, workers, plugins, statistics, audit trail",
    mayImport: ["jobs", "inventory", "limits", "registry", "store", "api", "base", "auth"],
    doors: ["port.ts"],
    makers: ["admin.ts"],
  },
  schedules: {
    does: "schedules: due times, missed times, exactly one firing for each time",
    mayImport: ["jobs", "store", "api", "base", "auth"],
    doors: ["port.ts"],
    makers: ["schedules.ts"],
  },
  webhooks: {
    does: "webhooks: messages in the forms of their receivers, delivery, retries; stored webhooks",
    mayImport: ["jobs", "pool", "checks", "store", "api", "base", "auth"],
    doors: ["port.ts", "delivery.ts"],
    makers: ["webhooks.ts"],
  },
  events: {
    does: "what happens to jobs: notices within the node, event streams with a position, live device output",
    mayImport: ["store", "api", "base", "auth"],
    doors: ["port.ts", "position.ts", "notices.ts"],
    makers: ["events.ts", "job-events.ts"],
  },
  files: {
    does: "the transfer folder of this node over the API: upload, download, list, delete",
    mayImport: ["auth", "api", "base"],
    doors: ["port.ts"],
    makers: ["files.ts"],
  },
  backup: {
    does: "archives of a data directory: writes, encrypts, reads and verifies them against their manifest",
    mayImport: ["base"],
    doors: ["manifest.ts", "read.ts", "schedule.ts", "tar.ts", "write.ts"],
  },
  dispatch: {
    does: "background work: claims, leases, attempts, settlement, recovery, retention",
    mayImport: [
      "checks",
      "detached",
      "events",
      "jobs",
      "limits",
      "store",
      "pool",
      "protocol",
      "tracing",
      "webhooks",
      "api",
      "base",
    ],
    doors: [],
    makers: ["scheduler.ts", "node/lease-clock.ts"],
  },
  tracing: {
    does: "OpenTelemetry traces of requests, jobs and attempts",
    mayImport: ["protocol"],
    doors: ["port.ts", "none.ts"],
    makers: ["tracing.ts", "exporter.ts"],
  },
  metrics: {
    does: "Prometheus metrics: job outcomes, request and store latency",
    mayImport: ["events"],
    doors: ["port.ts"],
    makers: ["metrics.ts"],
  },
  http: {
    does: "routes, response envelope, status codes, request limits, OpenAPI",
    mayImport: [
      "admin",
      "detached",
      "jobs",
      "inventory",
      "schedules",
      "webhooks",
      "events",
      "files",
      "limits",
      "registry",
      "metrics",
      "auth",
      "api",
      "base",
    ],
    doors: ["port.ts"],
    makers: ["app.ts", "request-facts.ts", "respond.ts"],
  },
  client: {
    does: "the command-line client: a client of the public HTTP API, host lists, terminal output",
    mayImport: ["api", "base"],
  },
  console: {
    does: "the web console: a bundled single-page app that uses the public API only",
    mayImport: [
      "api",
      "base/text/check-text.ts",
      "base/text/csv-cell.ts",
      "base/text/error-advice.ts",
      "base/json/exact-json.ts",
      "base/text/line-diff.ts",
      "base/text/request-line.ts",
    ],
    doors: [],
  },
  testkit: {
    does: "contract suites and test doubles for plugin authors, imported as `patchbay/testkit`; simulated devices",
    mayImport: ["plugin", "device/ssh/ssh2.ts", "device/cli/platform.ts", "api", "base"],
    doors: ["index.ts", "simulator/simulator.ts", "simulator/faults.ts", "simulator/transcripts.ts"],
  },
  service: {
    does: "assembles the service from store, pools, scheduler and HTTP; starts and drains it",
    mayImport: [
      "admin",
      "auth",
      "backup",
      "base",
      "config",
      "detached",
      "events",
      "files",
      "http",
      "inventory",
      "jobs",
      "metrics",
      "migrations",
      "api",
      "plugins",
      "pool",
      "protocol",
      "limits",
      "registry",
      "runtime",
      "dispatch",
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
      "api",
      "plugin",
      "plugins",
      "registry",
      "testkit",
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
    does: "the built-in drivers, platforms, template engines, webhooks, credential sources, formats and sources of the inventory; each family imports itself and `patchbay/plugin` only",
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
