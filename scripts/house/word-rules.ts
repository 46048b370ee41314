/** Words that only certain places may use, as data. */

interface WordRule {
  readonly what: string;
  readonly pattern: RegExp;
  /** Place -> purpose. */
  readonly places: Readonly<Record<string, string>>;
}

/** Words that only certain places may use. */
export const words: readonly WordRule[] = [
  {
    what: "timers",
    pattern:
      /\b(setTimeout|setInterval|setImmediate)\(|\bAbortSignal\.timeout\(|\bBun\.sleep|timers\/promises/,
    places: {
      "base/time/deadline.ts": "deadlines, and pauses that can be aborted",
      "base/time/yield.ts": "yields to the event loop during long work",
      "device/cli/exchange/channel.ts": "waits for output, and for it to go quiet",
      "device/cli/push/configure.ts": "how long an aborted push may take to leave configuration mode",
      "device/cli/session.ts": "logout timeout",
      "executor/sessions.ts": "idle timeout of kept sessions",
      "executor/kit/live-output.ts": "batches live output",
      "executor/template/fetch-template.ts": "timeout of an FTP download",
      "changes/rollout/timer.ts": "when a change goes on by itself",
      "service/plugins/copies.ts": "copies of plugins that jobs running at a reload may use",
      "pool/worker-client.ts": "a worker that ignores a cancellation",
      "pool/processes.ts": "template processes that start slowly or are idle",
      "pool/template-process.ts": "a template process that does not respond",
      "pool/meter.ts": "samples the CPU time of a template",
      "store/libsql/database/writer.ts": "a write that the disk does not complete",
      "store/postgres/database/writer.ts": "a write that the server does not complete",
      "store/postgres/database/server.ts": "a PostgreSQL server that does not answer",
      "store/postgres/database/client.ts": "a socket that ends after the client has taken it",
      "store/postgres/database/primary.ts": "another server that has become the primary without a word",
      "store/postgres/database/watch.ts": "a connection that no longer hears other nodes",
      "store/libsql/database/file/log-sync.ts": "an fsync of the WAL that does not complete",
      "store/libsql/database/server/server-streams.ts": "a libSQL server that does not respond",
      "store/libsql/database/server/server-client.ts": "the same, through the package's client",
      "jobs/query.ts": "`Prefer: wait`",
      "events/tail.ts": "polls for events of other nodes",
      "events/bulk/bulk-watch.ts": "refreshes the counts of a bulk",
      "events/listener.ts": "heartbeats on an idle stream",
      "runtime/message-port.ts": "detects a dead parent process on Deno",
      "runtime/collect.ts": "delayed garbage collection",
      "http/answer/send-answer.ts": "a caller that does not read the response",
      "dispatch/dispatcher.ts": "the next due job",
      "webhooks/delivery.ts": "the next due delivery",
      "dispatch/pacing.ts": "the next time at which held jobs are released",
      "recipes/running/runner.ts": "runs of nodes that died, and retention",
      "schedules/runner.ts": "the next time of a schedule, and polling for changes of other nodes",
      "base/share/log-tail.ts": "keep-alives of listeners, and entries of other nodes",
      "history/takes/runner.ts": "the next take that is due, and retention",
      "intent/runner.ts": "devices that another node left, and a moment after jobs have ended",
      "ledger/checkpoints.ts": "the next checkpoint, and places that have not taken one",
      "ledger/syslog.ts": "a syslog receiver that does not answer",
      "dispatch/node/peers.ts": "polls for jobs of other nodes",
      "dispatch/scheduler.ts": "expires queued jobs",
      "tracing/exporter.ts": "batches spans",
      "dispatch/node/node-lease.ts": "renewal and expiry of the lease",
      console: "clocks and polling in the browser",
      "testkit/simulator": "simulated delays, trickling and stalls",
      "plugins/drivers/napalm/systems/iosxr/terminal.ts": "a router that does not respond",
      "plugins/drivers/gnmi/subscribe.ts": "the end of a subscription, and its next poll",
      "plugins/drivers/napalm/systems/nxos/request-queue.ts": "a request that waits for the previous one",
      "plugins/credentials/vault-kv/renewal.ts": "token renewal",
      "plugins/credentials/command/resolve.ts": "a daemon that keeps the output of its program open",
    },
  },
  {
    what: "the environment",
    pattern: /\bprocess\.env\b/,
    places: {
      "config/config.ts": "reads the settings and deletes the secrets",
      "client/input/environment.ts": "the operator's server, and device logins",
      "service/supervisor.ts": "the systemd notification socket, hidden from child processes",
      "testkit/service.ts": "PATH for the service that a plugin test starts",
      "testkit/native-part.ts": "the folder of a test run for the native part",
      "runtime/deno.ts": "Deno's cache folder",
      "runtime/child.ts": "given to the child process in which plugins are loaded first",
      "registry/discover.ts": "secrets in it are masked in what a plugin throws",
    },
  },
  {
    what: "`Bun.` and `Deno.`",
    pattern: /\b(Bun|Deno)\./,
    places: { runtime: "the only module that knows the runtime" },
  },
  {
    what: "`new Worker`",
    pattern: /\bnew Worker\(/,
    places: { "pool/device-thread.ts": "device threads" },
  },
  {
    what: "evaluating code (`eval`, `new Function`)",
    pattern: /\beval\(|\bnew Function\(/,
    places: {},
  },
];
