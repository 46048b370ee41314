/** Kinds of work that a soak can be of: each by itself shows what it makes grow. */
import type { Fleet, FleetDevice } from "../chaos/fleet.ts";

export interface Work {
  readonly path: string;
  readonly body: object;
  /** How it has to end; a template has no job and ends with 200. */
  readonly ends: "finished" | "failed" | "answered";
}

/** The n-th of a stream of work for these devices. */
export type WorkOf = (n: number, device: FleetDevice, context: WorkContext) => Work;

export interface WorkContext {
  readonly fleet: Fleet;
  /** Of a receiver that takes every webhook. */
  readonly receiver: string;
}

const execute = "/device/execute";
/** Reserved for this by the system: nothing listens. */
const closedPort = 9;
const shows = ["show clock", "show version"];
const textfsm = "Value NAME (\\S+)\nValue STATE (up|down)\n\nStart\n  ^${NAME} is ${STATE} -> Record\n";
const interfaces = Array.from({ length: 20 }, (_, at) => `Ethernet${at} is ${at % 2 ? "up" : "down"}`).join(
  "\n",
);

function job(
  more: object,
  { changed = {}, strategy = "pinned", ends = "finished" as Work["ends"], options = {} } = {},
): WorkOf {
  return (_n, device, { fleet }) => ({
    path: execute,
    ends,
    body: {
      driver: "netmiko",
      connection_args: { ...fleet.connectionOf(device), ...changed },
      ...more,
      options: { queue_strategy: strategy, ...options },
    },
  });
}

const show = job({ command: shows });
/** A fifo job logs in anew each time. */
const login = job({ command: shows }, { strategy: "fifo" });
const configure: WorkOf = (n, ...rest) => job({ config: [`interface Loopback${n}`] })(n, ...rest);
const closed = job({ command: shows }, { changed: { port: closedPort }, ends: "failed" });
const refused = job(
  { command: shows },
  { changed: { password: "not-this-one" }, strategy: "fifo", ends: "failed" },
);
const webhook: WorkOf = (n, device, context) =>
  job({ command: shows }, { options: { webhook: { url: context.receiver } } })(n, device, context);
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
/** Queries and configuration, pinned and fifo, one in a hundred to a port where nobody listens. */
const mixed: WorkOf = (n, ...rest) => {
  if (n % 100 === 99) return closed(n, ...rest);
  const strategy = n % 5 === 4 ? "fifo" : "pinned";
  const work = n % 10 === 3 ? { config: [`interface Loopback${n}`] } : { command: shows };
  return job(work, { strategy })(n, ...rest);
};

export const works: Readonly<Record<string, WorkOf>> = {
  mixed,
  show,
  login,
  configure,
  refused,
  closed,
  webhook,
  render,
  parse,
  parsed,
};
