/**
 * The drivers netconf and snmp beside ncclient and Debian's snmp tools, on the same servers: same answers, wall and CPU
 * time; memory of many sessions, also of restconf and gnmi on their doubles; get requests per second of one thread, of
 * snmp in several waves with the datagrams that the agent lost. Prints one JSON document. Needs root, the servers
 * of the tests, and for the peers python3-ncclient and snmp.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { create, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { Encoding, GetRequestSchema } from "../../plugins/drivers/gnmi/proto/gnmi_pb.ts";
import { oidOf } from "../../plugins/drivers/snmp/names.ts";
import { openOn as openGnmi } from "../../test/drivers/gnmi/open.ts";
import { openOn as openNetconf } from "../../test/drivers/netconf/open.ts";
import { openOn as openRestconf } from "../../test/drivers/restconf/open.ts";
import { openOn as openSnmp, type Opened as Snmp } from "../../test/drivers/snmp/open.ts";
import { taskContext } from "../../test/plugin/context.ts";
import { startNetconfd } from "../testbed/netconfd.ts";
import { launchProcess } from "../testbed/process.ts";
import { type Snmpd, startSnmpd } from "../testbed/snmpd.ts";

const sessions = 200;
const gets = 60_000;
const getsPerWave = 10_000;
const atOnce = 100;
const rounds = 200;

interface Measured {
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function measured(work: () => Promise<unknown>): Promise<Measured> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: Math.round(performance.now() - start), cpuMs: Math.round((user + system) / 1000) };
}

/** The CPU time of a command and its children, by the shell's own count. */
function ofCommand(command: readonly string[]): (Measured & { readonly output: string }) | undefined {
  if (!existsSync(command[0] ?? "")) return undefined;
  const start = performance.now();
  const run = spawnSync("bash", ["-c", 'time "$@"', "bash", ...command], {
    encoding: "utf8",
    env: { ...process.env, TIMEFORMAT: "cpu %U %S", LC_ALL: "C" },
    maxBuffer: 64 * 1024 * 1024,
  });
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(run.stderr) ?? [];
  if (run.status !== 0 || user === undefined) throw new Error(run.stderr.slice(-500));
  return {
    wallMs: Math.round(performance.now() - start),
    cpuMs: Math.round((Number(user) + Number(system)) * 1000),
    output: run.stdout.trim(),
  };
}

/** Those for which the socket that listens there had no room. */
function lostDatagrams(port: number): number {
  const place = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of readFileSync("/proc/net/udp", "utf8").split("\n")) {
    const fields = line.trim().split(/\s+/);
    if (fields[1]?.endsWith(place)) return Number(fields.at(-1));
  }
  throw new Error(`Nothing listens on UDP port ${port}.`);
}

const rss = () => {
  Bun.gc(true);
  return process.memoryUsage.rss();
};

async function perSession<T extends { close(): Promise<void> }>(open: () => Promise<T>): Promise<number> {
  const before = rss();
  const all: T[] = [];
  // One after the other: an sshd refuses many that begin at once.
  for (let made = 0; made < sessions; made++) all.push(await open());
  const kib = Math.round((rss() - before) / sessions / 1024);
  for (const one of all) await one.close();
  return kib;
}

async function netconf() {
  const server = await startNetconfd();
  const one = await openNetconf(server);
  const get = "<get-config><source><running/></source></get-config>";
  const own = await measured(async () => {
    for (let round = 0; round < rounds; round++) await one.ask(get);
  });
  const answer = String(await one.ask(get)).replace(/\s+/g, "");
  const script = [
    "from ncclient import manager",
    "import sys",
    "m = manager.connect(host=sys.argv[1], port=int(sys.argv[2]), username=sys.argv[3], password=sys.argv[4], hostkey_verify=False, look_for_keys=False, allow_agent=False)",
    `for _ in range(${rounds}): r = m.get_config(source='running')`,
    "print(r.data_xml)",
    "m.close_session()",
  ].join("\n");
  const { host, port, user, password } = server;
  const peer = ofCommand(["/usr/bin/python3", "-c", script, host, String(port), user, password]);
  const inside = (text: string) => /<nacm.*<\/nacm>/s.exec(text.replace(/\s+/g, ""))?.[0];
  await one.close();
  const kib = await perSession(() => openNetconf(server));
  await server.stop();
  return {
    requests: rounds,
    own,
    ncclient: peer && {
      wallMs: peer.wallMs,
      cpuMs: peer.cpuMs,
      sameAnswer: inside(peer.output) === inside(answer),
    },
    sessions: { opened: sessions, kibEach: kib },
  };
}

/** The double runs in a process of its own. */
async function startDouble(driver: string) {
  const double = launchProcess({
    command: [process.execPath, "src/main.ts", "simulate", "--driver", driver, "--port", "0"],
    env: { PATH: process.env.PATH ?? "" },
  });
  await double.said(/"port":\d+/);
  return { port: Number(/"port":(\d+)/.exec(double.log())?.[1]), stop: double.stop };
}

async function restconf() {
  const { port, stop } = await startDouble("restconf");
  const open = async () => {
    const each = await openRestconf(port);
    await each.one("ietf-system:system/hostname");
    return each;
  };
  await (await open()).close();
  const kib = await perSession(open);
  await stop();
  return { sessions: { opened: sessions, kibEach: kib } };
}

const gnmiGets = 20_000;
const gnmiUpdates = 10_000;

/** As many connections, each of which asks one after the other. */
async function getsOfGrpcJs(port: number): Promise<void> {
  const path = { elem: ["system", "config", "hostname"].map((name) => ({ name })) };
  const bytes = toBinary(
    GetRequestSchema,
    create(GetRequestSchema, { path: [path], encoding: Encoding.JSON_IETF }),
  );
  const login = new Metadata();
  login.set("username", "admin");
  login.set("password", "admin");
  const same = (buffer: Buffer) => buffer;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
        "grpc.use_local_subchannel_pool": 1,
      });
      for (let got = 0; got < gnmiGets / atOnce; got++)
        await new Promise<void>((resolve, reject) => {
          client.makeUnaryRequest("/gnmi.gNMI/Get", same, same, Buffer.from(bytes), login, (error) =>
            error ? reject(error) : resolve(),
          );
        });
      client.close();
    }),
  );
}

async function gnmi() {
  const { port, stop } = await startDouble("gnmi");
  const hostname = "/system/config/hostname";
  const open = async () => {
    const each = await openGnmi(port);
    await each.one(hostname);
    return each;
  };
  await (await open()).close();
  const kib = await perSession(open);
  const many = await Promise.all(Array.from({ length: atOnce }, open));
  const own = await measured(() =>
    Promise.all(
      many.map(async (each) => {
        for (let got = 0; got < gnmiGets / atOnce; got++) await each.one(hostname);
      }),
    ),
  );
  for (const each of many) await each.close();
  const peer = await measured(() => getsOfGrpcJs(port));
  const one = await openGnmi(port, {}, () => taskContext({}, 600_000));
  const stream = await measured(() =>
    one.one("/interfaces/interface[name=*]/state", {
      ...{ mode: "stream", subscription: "sample", interval: 0.01, count: gnmiUpdates, encoding: "proto" },
    }),
  );
  await one.close();
  await stop();
  return {
    gets: {
      requests: gnmiGets,
      atOnce,
      perSecond: Math.round(gnmiGets / (own.wallMs / 1000)),
      perCpuSecond: Math.round(gnmiGets / (own.cpuMs / 1000)),
    },
    // The same bytes, which it neither makes nor reads.
    grpcJs: { requests: gnmiGets, perCpuSecond: Math.round(gnmiGets / (peer.cpuMs / 1000)) },
    stream: { updates: gnmiUpdates, cpuMs: stream.cpuMs },
    sessions: { opened: sessions, kibEach: kib },
  };
}

/** Of the system group: the same instances, and the same texts. Other tables change between two walks. */
async function saysTheSame(own: Snmp, { host, port, community }: Snmpd): Promise<boolean> {
  const system = "1.3.6.1.2.1.1";
  const walked = await own.one(system, { type: "walk" });
  const values = new Map(Object.entries(Object(walked)).map(([name, value]) => [oidOf(name), value]));
  const command = ["/usr/bin/snmpbulkwalk", "-m", "", "-v2c", "-c", community, "-On", "-Oq"];
  const lines = ofCommand([...command, `${host}:${port}`, `.${system}`])?.output.split("\n") ?? [];
  const isSame = (line: string) => {
    const [, oid, text] = /^\.([\d.]+) (?:"(.*)")?/.exec(line) ?? [];
    return values.has(oid) && (text === undefined || values.get(oid) === text);
  };
  return lines.length === values.size && lines.every(isSame);
}

async function snmp() {
  const agent = await startSnmpd();
  const login = { community: agent.community };
  const one = await openSnmp(agent, login);
  await one.one("sysName");
  const kib = await perSession(async () => {
    const each = await openSnmp(agent, login);
    await each.one("sysName");
    return each;
  });
  const v3 = await perSession(async () => {
    const { password, privPassword } = agent;
    const each = await openSnmp(agent, { username: "sha256user", password, priv_password: privPassword });
    await each.one("sysName");
    return each;
  });
  const walkOf = () => one.one("1.3.6.1.2.1", { type: "walk" });
  let rows = 0;
  const own = await measured(async () => {
    rows = Object.keys(Object(await walkOf())).length;
  });
  const place = `${agent.host}:${agent.port}`;
  const peer = ofCommand([
    ...[
      "/usr/bin/snmpbulkwalk",
      "-m",
      "",
      "-v2c",
      "-c",
      agent.community,
      "-Cr25",
      "-On",
      place,
      ".1.3.6.1.2.1",
    ],
  ]);
  const sameAnswer = await saysTheSame(one, agent);
  const many = await Promise.all(Array.from({ length: atOnce }, () => openSnmp(agent, login)));
  const waves: Measured[] = [];
  const lostBefore = lostDatagrams(agent.port);
  for (let wave = 0; wave < gets / getsPerWave; wave++)
    waves.push(
      await measured(() =>
        Promise.all(
          many.map(async (each) => {
            for (let got = 0; got < getsPerWave / atOnce; got++) await each.one("sysName");
          }),
        ),
      ),
    );
  const lost = lostDatagrams(agent.port) - lostBefore;
  const perSecond = waves
    .map(({ wallMs }) => Math.round(getsPerWave / (wallMs / 1000)))
    .sort((a, b) => a - b);
  const cpuMs = waves.reduce((sum, wave) => sum + wave.cpuMs, 0);
  for (const each of many) await each.close();
  await one.close();
  await agent.stop();
  return {
    walk: {
      rows,
      own,
      snmpbulkwalk: peer && {
        wallMs: peer.wallMs,
        cpuMs: peer.cpuMs,
        rows: peer.output.match(/^\.1\./gm)?.length,
        sameAnswer,
      },
    },
    gets: {
      requests: gets,
      atOnce,
      perSecond,
      perCpuSecond: Math.round(gets / (cpuMs / 1000)),
      lostByAgent: lost,
    },
    sessions: { opened: sessions, kibEach: { "2c": kib, "3": v3 } },
  };
}

const parts: Readonly<Record<string, () => Promise<unknown>>> = { netconf, restconf, gnmi, snmp };

/** In a process of its own: memory that another part has freed would count. */
function partAlone(name: string): unknown {
  const run = spawnSync(process.execPath, [import.meta.filename, name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (run.status !== 0) throw new Error(`${name} failed.`);
  return JSON.parse(run.stdout);
}

const part = parts[process.argv[2] ?? ""];
const result =
  part === undefined
    ? Object.fromEntries(Object.keys(parts).map((name) => [name, partAlone(name)]))
    : await part();
// What is kept for later requests would hold the process for half a minute.
process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`, () => process.exit(0));
