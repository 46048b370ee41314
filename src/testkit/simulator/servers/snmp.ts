/** A simulated SNMP agent of version 2c: the system group, which can be set, and interfaces. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { answerTo, integer, type Message, oid, readMessage, tags, text, tlv } from "./snmp-ber.ts";

export interface SnmpAgentOptions {
  readonly host?: string;
  readonly port?: number;
  readonly community?: string;
  readonly hostname?: string;
}

export interface SnmpAgent {
  readonly port: number;
  /** Objects that were set, such as `1.3.6.1.2.1.1.4.0=ops`, in order. */
  readonly taken: string[];
  stop(): Promise<void>;
}

const system = "1.3.6.1.2.1.1";
const ifEntry = "1.3.6.1.2.1.2.2.1";
/** sysContact, sysName and sysLocation. */
const settable = [4, 5, 6].map((object) => `${system}.${object}.0`);
const mostBytes = 1_400;
const noAccess = { status: 6, notWritable: 17, wrongType: 7, tooBig: 1 } as const;

export async function startSnmpAgent(options: SnmpAgentOptions = {}): Promise<SnmpAgent> {
  const { host = "127.0.0.1", port = 0, community = "public", hostname = "R1" } = options;
  const objects = new Map<string, Buffer>(initial(hostname));
  const order = [...objects.keys()].sort(byNumbers);
  const taken: string[] = [];
  const begin = Date.now();

  const valueAt = (name: string) =>
    name === `${system}.3.0`
      ? integer(Math.floor((Date.now() - begin) / 10) % 2 ** 32, tags.ticks)
      : objects.get(name);
  const after = (name: string) => order.find((one) => byNumbers(one, name) > 0);

  function answered(message: Message): Buffer {
    const { pdu, varbinds } = message;
    if (pdu === tags.set) return set(message);
    const found = varbinds.flatMap(({ oid: name }, at) => {
      if (pdu === tags.get) return [[name, valueAt(name) ?? tlv(tags.noInstance)] as const];
      const times = pdu === tags.bulk && at >= message.first ? Math.min(message.second, 500) : 1;
      return following(name, times);
    });
    const whole = answerTo(message, found);
    if (whole.length <= mostBytes) return whole;
    if (pdu !== tags.bulk) return answerTo(message, [], { status: noAccess.tooBig });
    // A bulk may be answered in part.
    return answerTo(
      message,
      found.slice(0, Math.max(1, Math.floor((found.length * mostBytes) / whole.length / 1.2))),
    );
  }

  function following(name: string, times: number): (readonly [string, Buffer])[] {
    const found: (readonly [string, Buffer])[] = [];
    for (let at = name; found.length < times; ) {
      const next = after(at);
      if (next === undefined) return [...found, [at, tlv(tags.endOfView)]];
      found.push([next, valueAt(next) ?? tlv(tags.noInstance)]);
      at = next;
    }
    return found;
  }

  function set(message: Message): Buffer {
    const { varbinds } = message;
    const same = varbinds.map(({ oid: name, value }) => [name, value.whole] as const);
    for (const [at, { oid: name, value }] of varbinds.entries()) {
      const status = !settable.includes(name)
        ? noAccess.notWritable
        : value.type === tags.text
          ? 0
          : noAccess.wrongType;
      if (status !== 0) return answerTo(message, same, { status, index: at + 1 });
    }
    for (const { oid: name, value } of varbinds) {
      objects.set(name, Buffer.from(value.whole));
      taken.push(`${name}=${value.inside.toString("utf8")}`);
    }
    return answerTo(message, same);
  }

  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  const listening = once(socket, "listening");
  socket.bind(port, host);
  await listening;
  socket.on("message", (datagram, from) => {
    let message: Message;
    try {
      message = readMessage(datagram);
    } catch {
      // As real agents: what cannot be read is dropped, and so is a wrong community.
      return;
    }
    if (message.version !== 1 || message.community.inside.toString() !== community) return;
    socket.send(answered(message), from.port, from.address);
  });
  return {
    port: socket.address().port,
    taken,
    async stop() {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}

function initial(hostname: string): readonly (readonly [string, Buffer])[] {
  const interfaces = [
    ["lo", 24, 1, 1],
    ["eth0", 6, 1, 1],
    ["eth1", 6, 2, 2],
  ] as const;
  const rows = interfaces.flatMap(([name, type, admin, operating], at) => {
    const index = at + 1;
    return [
      [1, integer(index)],
      [2, text(name)],
      [3, integer(type)],
      [4, integer(1_500)],
      [5, integer(1_000_000_000, tags.gauge)],
      [6, text(Buffer.from([2, 0, 0, 0, 0, index]))],
      [7, integer(admin)],
      [8, integer(operating)],
      [10, integer(1_000 * index, tags.counter)],
      [16, integer(2_000 * index, tags.counter)],
    ].map(([column, value]) => [`${ifEntry}.${String(column)}.${index}`, value] as const);
  });
  return [
    [`${system}.1.0`, text("Patchbay simulator")],
    [`${system}.2.0`, oid("1.3.6.1.4.1.8072.3.2.10")],
    [`${system}.3.0`, integer(0, tags.ticks)],
    [`${system}.4.0`, text("noc@example.net")],
    [`${system}.5.0`, text(hostname)],
    [`${system}.6.0`, text("lab")],
    [`${system}.7.0`, integer(72)],
    ["1.3.6.1.2.1.2.1.0", integer(interfaces.length)],
    ...rows.flatMap(([name, value]) => (Buffer.isBuffer(value) ? [[name, value] as const] : [])),
  ];
}

function byNumbers(one: string, other: string): number {
  const [a, b] = [one.split(".").map(Number), other.split(".").map(Number)];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
