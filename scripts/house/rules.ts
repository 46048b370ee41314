/** The rules of the house as data: `scripts/layers.ts` holds them, ARCHITECTURE.md shows them. */

export interface Room {
  /** Its one job, as ARCHITECTURE.md shows it. */
  readonly does: string;
  /** Rooms, or single files, that it may import; type imports count, too. */
  readonly mayImport: readonly string[];
  /** Files that other rooms may import; absent: all of them. */
  readonly doors?: readonly string[];
  /** Files that only rooms which put the program together may import. */
  readonly makers?: readonly string[];
}

/** From the ground up. A room is a folder of `src`, or a file at its root. */
export const rooms: Readonly<Record<string, Room>> = {
  base: {
    does: "what every room needs: errors, secrets, deadlines, address checks, linear expressions, the log",
    mayImport: [],
  },
  plugin: {
    does: "the contract of plugins, imported as `patchbay/plugin`",
    mayImport: ["base"],
  },
  model: {
    does: "shapes of requests, jobs, plugins and workers; what comes from outside is checked by them",
    mayImport: ["base"],
  },
  checks: {
    does: "checks around a push: which run when, whether one holds, what the record says of them",
    mayImport: ["model", "base"],
  },
  config: {
    does: "settings from flags, environment, file and defaults; the master key",
    mayImport: ["base"],
    doors: ["config.ts", "settings.ts", "master-key.ts"],
  },
  auth: {
    does: "API keys, callers, and the one function that decides what a key may reach",
    mayImport: ["base"],
    doors: ["port.ts", "caller.ts", "reach.ts", "credentials.ts", "make-key.ts"],
    makers: ["keys.ts"],
  },
  protocol: {
    does: "messages between the main thread and its workers",
    mayImport: ["plugin", "model", "base"],
  },
  registry: {
    does: "finds, checks and lists plugins, with their settings",
    mayImport: ["plugin", "base"],
    doors: [
      "registry.ts",
      "settings.ts",
      "fields.ts",
      "loader.ts",
      "discover.ts",
      "manifest.ts",
      "plugin-schemas.ts",
      "reloadable.ts",
      "secret-fields.ts",
      "named-credential.ts",
    ],
  },
  runtime: {
    does: "what only Bun gives: its own names are said here and nowhere else",
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
    does: "NETCONF sessions on a stream: hellos, framing, calls and their replies",
    mayImport: ["plugin", "base"],
    doors: ["session.ts"],
  },
  cli: {
    does: "a device's terminal: prompts, privilege levels, pagers, questions, pushes",
    mayImport: ["plugin", "base"],
    doors: ["session.ts", "fresh-shell.ts", "platform.ts"],
  },
  executor: {
    does: "does one task on a device thread or in a template process: a query, a push, a render, a delivery",
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
    does: "device threads and template processes: started, given work, cut off",
    mayImport: ["protocol", "base", "runtime"],
    doors: ["port.ts"],
    makers: ["pool.ts", "template-pool.ts"],
  },
  store: {
    does: "the queue on disk: claims, leases, results, sealed payloads, audit",
    mayImport: ["model", "base", "migrations"],
    doors: ["port.ts"],
    makers: ["libsql/store.ts", "libsql/database/connect.ts", "libsql/database/writable.ts"],
  },
  queue: {
    does: "what jobs and scheduler share: backlog, limits, events, logins that wait, payloads",
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
    does: "devices and groups: what each inherits, as a snapshot, selectors that choose them, changes of many in one transaction",
    mayImport: ["store", "model", "base", "auth"],
    doors: ["port.ts", "exchange-port.ts", "sources-port.ts", "import/read.ts", "selector.ts"],
    makers: ["exchange.ts", "inventory.ts", "selected-hosts.ts", "sightings.ts", "sources.ts"],
  },
  jobs: {
    does: "what a caller can ask: submit, list, cancel, render, test a connection",
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
    does: "what runs at given times: when that is, what was missed, one firing for each time",
    mayImport: ["jobs", "store", "model", "base", "auth"],
    doors: ["port.ts"],
    makers: ["schedules.ts"],
  },
  events: {
    does: "what happens, as streams with a position: changes of jobs, counts of bulks, what devices say",
    mayImport: ["queue", "store", "model", "base", "auth"],
    doors: ["port.ts", "position.ts"],
    makers: ["events.ts"],
  },
  files: {
    does: "the transfer folder of this node over the API: files in, out, listed, removed",
    mayImport: ["auth", "model", "base"],
    doors: ["port.ts"],
    makers: ["files.ts"],
  },
  backup: {
    does: "archives of a data directory: written, sealed, read back, held to their manifest",
    mayImport: ["base"],
    doors: ["manifest.ts", "read.ts", "tar.ts", "write.ts"],
  },
  scheduler: {
    does: "what runs by itself: claims, leases, attempts, ends, deliveries, recovery, retention",
    mayImport: ["checks", "queue", "store", "pool", "protocol", "tracing", "model", "base"],
    doors: [],
    makers: ["backup-schedule.ts", "scheduler.ts", "lease-clock.ts"],
  },
  tracing: {
    does: "traces of requests, jobs and attempts for a collector of OpenTelemetry",
    mayImport: ["protocol"],
    doors: ["port.ts", "none.ts"],
    makers: ["tracing.ts", "exporter.ts"],
  },
  metrics: {
    does: "counts and times for Prometheus: how jobs end, what requests and the store take",
    mayImport: ["queue"],
    doors: ["port.ts"],
    makers: ["metrics.ts"],
  },
  http: {
    does: "routes, envelope, statuses, limits of requests, OpenAPI",
    mayImport: [
      "jobs",
      "inventory",
      "schedules",
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
    does: "the client of the command line: the public HTTP API from outside, hosts of an operator, what a terminal shows",
    mayImport: ["model", "base"],
  },
  console: {
    does: "the page for browsers: bundled and sent as files, asks the public API only",
    mayImport: ["base/csv-cell.ts"],
    doors: [],
  },
  simulator: {
    does: "simulated devices that speak SSH or Telnet",
    mayImport: ["plugin", "ssh/ssh2.ts", "base/join-writes.ts"],
    doors: ["simulator.ts", "answers.ts", "faults.ts", "transcripts.ts"],
  },
  testkit: {
    does: "contract suites and doubles for authors of plugins, imported as `patchbay/testkit`",
    mayImport: ["simulator", "plugin", "cli/platform.ts", "model", "base"],
    doors: ["index.ts"],
  },
  service: {
    does: "the service put together: store, pools, scheduler, HTTP; started and drained",
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
    ],
  },
  commands: {
    does: "the command line, one file or folder a command",
    mayImport: [
      "cli/platform.ts",
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
    does: "the door of the program",
    mayImport: ["commands", "protocol", "thread", "runtime"],
  },
  thread: {
    does: "the door of a device thread or template process",
    mayImport: ["executor", "plugins", "protocol", "runtime"],
  },
  plugins: {
    does: "the built-in drivers, platforms, template engines, webhooks and credential sources; each family imports itself and `patchbay/plugin` only",
    mayImport: ["patchbay/plugin"],
    doors: ["index.ts"],
  },
  migrations: {
    does: "the tables of the store, version by version",
    mayImport: [],
    doors: ["index.ts"],
  },
};

export { assemblers, libraries } from "./library-rules.ts";
export { mayNamePlugins, namesThatAreWords } from "./name-rules.ts";
export { words } from "./word-rules.ts";
