/** Kinds of work for a soak; running one alone shows its effect on memory. */
import type { Fleet } from "../chaos/fleet.ts";

export interface Work {
  readonly path: string;
  readonly body: object;
  /** Expected outcome; a template and a bulk only return a response. */
  readonly ends: "finished" | "failed" | "answered";
  /** Whether to read its event stream to the end. */
  readonly watched?: boolean;
}

/** The nth item of a stream of work. */
export type WorkOf = (n: number, context: WorkContext) => Work;

export interface WorkContext {
  readonly fleet: Fleet;
  /** URL of a receiver that accepts every webhook. */
  readonly receiver: string;
  /** Connection fields of a real sshd; only for work that needs one. */
  readonly server: Readonly<Record<string, unknown>> | undefined;
}

const execute = "/device/execute";
/** The discard port, on which nothing listens. */
const closedPort = 9;
const shows = ["show clock", "show version"];
const textfsm = "Value NAME (\\S+)\nValue STATE (up|down)\n\nStart\n  ^${NAME} is ${STATE} -> Record\n";
const interfaces = Array.from({ length: 20 }, (_, at) => `Ethernet${at} is ${at % 2 ? "up" : "down"}`).join(
  "\n",
);

function connectionOf(n: number, { fleet }: WorkContext, driver = "netmiko"): Record<string, unknown> {
  const devices = fleet.devices.filter((device) => device.driver === driver);
  const device = devices[(n * 7) % devices.length];
  if (device === undefined) throw new Error(`there are no devices for ${driver}`);
  return fleet.connectionOf(device);
}

function job(
  more: object,
  { changed = {}, strategy = "pinned", ends = "finished" as Work["ends"], options = {} } = {},
): WorkOf {
  return (n, context) => ({
    path: execute,
    ends,
    body: {
      driver: "netmiko",
      connection_args: { ...connectionOf(n, context), ...changed },
      ...more,
      options: { queue_strategy: strategy, ...options },
    },
  });
}

const show = job({ command: shows });
/** A fifo job logs in each time. */
const login = job({ command: shows }, { strategy: "fifo" });
const configure: WorkOf = (n, context) => job({ config: [`interface Loopback${n}`] })(n, context);
const closed = job({ command: shows }, { changed: { port: closedPort }, ends: "failed" });
const refused = job(
  { command: shows },
  { changed: { password: "not-this-one" }, strategy: "fifo", ends: "failed" },
);
const webhook: WorkOf = (n, context) =>
  job({ command: shows }, { options: { webhook: { url: context.receiver } } })(n, context);
/** Opens its event stream after submission; the stream ends with the job. */
const watched: WorkOf = (n, context) => ({ ...show(n, context), watched: true });
const bulk: WorkOf = (n, context) => ({
  path: "/device/bulk",
  ends: "answered",
  body: {
    driver: "netmiko",
    command: shows,
    devices: Array.from({ length: 10 }, (_, at) => connectionOf(n * 10 + at, context)),
  },
});
/** An HTTP driver. */
const http: WorkOf = (n, context) => ({
  path: execute,
  ends: "finished",
  body: { driver: "stranger", connection_args: connectionOf(n, context, "stranger"), command: ["one"] },
});
/** Channels without a PTY, many on one kept session. */
const exec: WorkOf = (_n, { server }) => ({
  path: execute,
  ends: "finished",
  body: { driver: "paramiko", connection_args: server, command: ["true", "echo two"] },
});
const render: WorkOf = (n) => ({
  path: "/template/render",
  ends: "answered",
  body: {
    template: "{% for i in range(n) %}interface Loopback{{ i }}\n{% endfor %}",
    context: { n: 20 + (n % 7) },
  },
});
const parse: WorkOf = () => ({
  path: "/template/parse",
  ends: "answered",
  body: { name: "textfsm", template: textfsm, context: interfaces },
});
const parsed = job({ command: "show version", parsing: { name: "textfsm" } });
/** Queries and configuration, pinned and fifo, one in a hundred to a closed port. */
const mixed: WorkOf = (n, context) => {
  if (n % 100 === 99) return closed(n, context);
  const strategy = n % 5 === 4 ? "fifo" : "pinned";
  const work = n % 10 === 3 ? { config: [`interface Loopback${n}`] } : { command: shows };
  return job(work, { strategy })(n, context);
};

export const works: Readonly<Record<string, WorkOf>> = {
  mixed,
  show,
  login,
  configure,
  refused,
  closed,
  webhook,
  watched,
  bulk,
  http,
  exec,
  render,
  parse,
  parsed,
};
