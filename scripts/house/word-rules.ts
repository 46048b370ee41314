/** Words of the code that only some places may say, as data. */

interface WordRule {
  readonly what: string;
  readonly pattern: RegExp;
  /** Place -> what for. */
  readonly places: Readonly<Record<string, string>>;
}

/** Words of the code that only some places may say. */
export const words: readonly WordRule[] = [
  {
    what: "timers",
    pattern:
      /\b(setTimeout|setInterval|setImmediate)\(|\bAbortSignal\.timeout\(|\bBun\.sleep|timers\/promises/,
    places: {
      "base/deadline.ts": "deadlines, and pauses that end early",
      "base/yield.ts": "a turn of the event loop between pieces of long work",
      "cli/channel.ts": "waits for output, and for silence after it",
      "cli/configure.ts": "the time in which a cut push may leave the configuration",
      "cli/session.ts": "the time of a logout",
      "executor/sessions.ts": "kept sessions that nobody uses",
      "executor/live-output.ts": "pieces of output that leave together",
      "executor/http-exchange.ts": "the time of an HTTP request to a device",
      "executor/fetch-template.ts": "the time of an FTP fetch",
      "pool/worker-client.ts": "a worker that does not end what it was told to end",
      "pool/processes.ts": "template processes that start late or are spare",
      "pool/template-process.ts": "a template process that does not answer",
      "pool/meter.ts": "CPU time of a template",
      "store/libsql/database/writer.ts": "a write that the disk does not take",
      "store/libsql/database/log-sync.ts": "a commit that the threads for files do not bring to the disk",
      "store/libsql/database/server-streams.ts": "a store server that does not answer",
      "store/libsql/database/server-client.ts": "the same, asked by the package's client",
      "jobs/query.ts": "`Prefer: wait`",
      "events/tail.ts": "what other nodes write into the log",
      "events/bulk-watch.ts": "counts of a bulk, read again when that is due",
      "events/listener.ts": "signs of life on a stream that is silent",
      "runtime/message-port.ts": "a parent that is gone, on Deno",
      "runtime/collect.ts": "garbage that is collected again after a while",
      "http/send-answer.ts": "a caller who does not read his answer",
      "scheduler/dispatcher.ts": "the next job that becomes due",
      "scheduler/webhook-delivery.ts": "the next delivery",
      "scheduler/pacing.ts": "the next time that held jobs wait for",
      "schedules/runner.ts": "the next time of a schedule, and what other nodes change",
      "scheduler/peers.ts": "jobs of other nodes",
      "scheduler/scheduler.ts": "jobs whose time to wait is over",
      "tracing/exporter.ts": "spans that are sent together",
      "scheduler/node-lease.ts": "the beat of a lease, and its end",
      console: "the browser's clock, and what is asked again after a while",
      simulator: "devices that think, trickle and stall",
      "plugins/drivers/napalm/systems/iosxr/terminal.ts": "a router that does not answer",
      "plugins/drivers/napalm/systems/nxos/in-turn.ts": "a request that waits for the one before it",
      "plugins/credentials/vault-kv/renewal.ts": "a token that is renewed before it ends",
      "plugins/drivers/shared/undoing.ts": "the moment in which a job that has ended is undone on its device",
    },
  },
  {
    what: "the environment",
    pattern: /\bprocess\.env\b/,
    places: {
      "config/config.ts": "settings; secrets are taken out of it there",
      "client/environment.ts": "the operator's server, and the login of devices",
      "service/supervisor.ts": "where systemd is told how the service is; children do not find it",
      "testkit/service.ts": "PATH of the service that a plugin's test starts",
      "runtime/deno-child.ts": "the folder in which Deno keeps what it has compiled",
    },
  },
  {
    what: "`Bun.` and `Deno.`",
    pattern: /\b(Bun|Deno)\./,
    places: { runtime: "the one room that knows the runtime" },
  },
  {
    what: "`new Worker`",
    pattern: /\bnew Worker\(/,
    places: { "pool/device-thread.ts": "device threads" },
  },
  {
    what: "code made from text (`eval`, `new Function`)",
    pattern: /\beval\(|\bnew Function\(/,
    places: {},
  },
];
