/** The ledger of a running service: pushes, changes outside, checkpoints elsewhere, export, verification, tampering. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VersionRecord } from "../../../src/api/history/history.ts";
import type {
  ChangedOutside,
  LedgerRecord,
  LedgerVerdict,
  SignedCheckpoint,
} from "../../../src/api/ledger/ledger.ts";
import { openFile } from "../../../src/store/libsql/database/file/file.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn, type Operator } from "../terminal.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const folder = tempFolder();
const dataDir = tempFolder();
let service: Service;
let device: SimulatedDevice;
let someone: Operator;
let syslog: Socket;
let hooks: Server;
const datagrams: string[] = [];
const told: { readonly event: string; readonly ledger: SignedCheckpoint }[] = [];

beforeAll(async () => {
  syslog = createSocket("udp4");
  syslog.on("message", (message) => datagrams.push(message.toString()));
  syslog.bind(0, "127.0.0.1");
  await once(syslog, "listening");
  hooks = createServer((request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      told.push(JSON.parse(text));
      response.end();
    });
  });
  hooks.listen(0, "127.0.0.1");
  await once(hooks, "listening");
  service = await start();
  await service.call("PUT", "/credential/lab", login);
  device = await simulated("arista_eos", { ...login, hostname: "leaf-1" });
  const devices = [labEntry("leaf-1", device, "arista_eos")];
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBe(200);
  const webhook = { url: `http://127.0.0.1:${portOf(hooks)}/` };
  const made = { name: "keeper", config: webhook, events: ["ledger.checkpoint"] };
  expect((await service.call("POST", "/webhook", made)).body).toMatchObject({ code: 200 });
  await take();
  someone = await loggedIn(service.url, adminKey);
});
afterAll(async () => {
  await service?.close();
  await device?.stop();
  syslog?.close();
  hooks?.close();
});

function start(): Promise<Service> {
  return startService({
    dataDir,
    env: {
      PATCHBAY_LEDGER_CHECKPOINT_FOLDER: folder,
      PATCHBAY_LEDGER_CHECKPOINT_SYSLOG: `udp://127.0.0.1:${syslog.address().port}`,
      PATCHBAY_URL_ALLOW: "127.0.0.1",
    },
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const waits = { Prefer: "wait=60" };
const take = () => service.call("POST", "/history/take", { device: "leaf-1" }, waits);
const list = async (query = "") => (await service.call<LedgerRecord[]>("GET", `/ledger${query}`)).body.data;
const versions = async () => (await service.call<VersionRecord[]>("GET", "/history/device/leaf-1")).body.data;

async function verified(body: object = {}) {
  const pieces: LedgerVerdict[] = [];
  for (let next: string | null | undefined; next !== null; ) {
    const piece = await service.call<LedgerVerdict>("POST", "/ledger/verify", { ...body, next });
    expect(piece.status).toBe(200);
    pieces.push(piece.body.data);
    next = piece.body.data.next;
  }
  return {
    breaks: pieces.flatMap(({ breaks }) => breaks.map(({ fault, seq }) => `${fault} ${seq}`)),
    missing: pieces.flatMap(({ missing }) => missing),
    outside: pieces.flatMap(({ outside }) => outside),
    entries: pieces.reduce((sum, { entries }) => sum + entries, 0),
  };
}

const checkpointFile = () => join(folder, readdirSync(folder)[0] ?? "");
const ledger = (...args: string[]) => someone.piped(["ledger", ...args]);

test("a push has an entry with who, what and where, and the versions around it", async () => {
  const pushed = await service.call<{ id: string }>(
    "POST",
    "/device/execute",
    {
      ...{ device: "leaf-1", config: ["interface Ethernet1", "description by a push"] },
      options: { ticket: "CHG-7", label: "night" },
    },
    waits,
  );
  const { id } = pushed.body.data;
  await expect.poll(async () => (await versions()).length, { timeout: 60_000 }).toBe(2);
  const [record, ...others] = await list(`?job=${id}`);
  expect(others).toEqual([]);
  const sent = await service.call<{ sha256: string; lines: string[] }>("GET", `/job/${id}/sent`);
  expect(record).toMatchObject({
    entry: {
      ...{ kind: "push", job: id, device: "leaf-1", host: "127.0.0.1", driver: "netmiko" },
      ...{ ticket: "CHG-7", note: "night", credential: "file:lab", outcome: "finished" },
      actor: { kind: "key", name: expect.any(String), key: expect.any(String), address: "127.0.0.1" },
      sent: { lines: 2, sha256: sent.body.data.sha256 },
      before: { version: 1, sha256: expect.any(String) },
    },
    after: { version: 2, sha256: expect.any(String) },
  });
  expect(await list("?ticket=CHG-7&device=LEAF-1&kind=push")).toEqual([record]);
  expect((await list()).map(({ entry }) => entry.kind)).toEqual([
    ...["push", "hostkey.learn", "credential.set", "key.add", "ledger.begin"],
  ]);
  const one = await service.call<LedgerRecord>("GET", `/ledger/entry/${record?.entry.seq}`);
  expect(one.body.data).toEqual(record);
  expect((await service.call("GET", "/ledger/entry/99")).status).toBe(404);
  expect(JSON.stringify(await list())).not.toContain("canary");
  expect(await verified()).toEqual({ breaks: [], missing: [], outside: [], entries: 5 });
});

test("what somebody else changed is listed as changed outside", async () => {
  const lines = ["configure terminal", "interface Ethernet2", "description by hand", "end"];
  await service.call("POST", "/device/execute", { device: "leaf-1", command: lines }, waits);
  await take();
  const outside = (await service.call<ChangedOutside[]>("GET", "/ledger/outside?device=leaf-1")).body.data;
  expect(outside).toMatchObject([{ device: "leaf-1", version: 3, part: "running", added: 1 }]);
  expect((await verified()).outside).toEqual(outside);
  expect((await service.call("GET", "/ledger/outside?until=2020-01-01")).body.data).toEqual([]);
  const printed = await ledger("outside");
  expect([printed.code, printed.out]).toEqual([0, expect.stringContaining("leaf-1")]);
});

test("a checkpoint goes to the file, the syslog receiver and the webhook", async () => {
  const signed = (await service.call<SignedCheckpoint>("POST", "/ledger/checkpoint")).body.data;
  expect(signed.checkpoint).toMatchObject({ seq: 5, counts: { push: 1, "ledger.begin": 1 } });
  expect((await service.call("GET", "/ledger/checkpoint")).body.data).toEqual(signed);
  const isSame = (one: SignedCheckpoint | undefined) => one?.signature === signed.signature;
  await expect.poll(() => told.some(({ ledger }) => isSame(ledger)), { timeout: 60_000 }).toBe(true);
  const kept = () => readFileSync(checkpointFile(), "utf8").trim().split("\n");
  await expect.poll(() => kept().some((line) => isSame(JSON.parse(line)))).toBe(true);
  await expect.poll(() => datagrams.some((line) => line.includes(signed.signature))).toBe(true);
  expect(datagrams.at(-1)).toMatch(/^<109>1 \S+ \S+ patchbay \d+ ledger\.checkpoint - \ufeff\{"checkpoint"/);
  // Nothing new: no further one.
  expect((await service.call("POST", "/ledger/checkpoint")).body.data).toEqual(signed);
});

test("the command line lists, exports and verifies, with the service and without", async () => {
  const listed = await ledger("list", "--kind", "push");
  expect(listed.out).toContain("CHG-7");
  expect((await ledger("show", "1")).out).toContain('"ledger.begin"');
  const [key, file] = [join(folder, "key.pem"), join(folder, "export.jsonl")];
  const kept = checkpointFile();
  writeFileSync(key, (await ledger("public-key")).out);
  expect((await ledger("export", file)).code).toBe(0);
  const online = await ledger("verify", "--public-key", key, "--checkpoints", kept);
  // The change outside makes it incomplete.
  expect([online.code, online.out]).toEqual([
    1,
    expect.stringMatching(/intact: yes[\s\S]*complete: NO\n {2}leaf-1 was changed outside/),
  ]);
  const offline = await ledger("verify", file, "--public-key", key, "--checkpoints", kept);
  expect([offline.code, offline.out]).toEqual([0, expect.stringContaining("signed up to the newest entry")]);
  expect((await ledger("verify", file)).out).toContain("without --public-key this says nothing");

  const lines = readFileSync(file, "utf8").trim().split("\n");
  const at = lines.findIndex((line) => line.includes("CHG-7"));
  const tampered = join(folder, "tampered.jsonl");
  const found = async (edit: (lines: string[]) => void) => {
    const copy = [...lines];
    edit(copy);
    writeFileSync(tampered, `${copy.join("\n")}\n`);
    const { code, out, err } = await ledger("verify", tampered, "--public-key", key, "--checkpoints", kept);
    expect(code).not.toBe(0);
    return out + err;
  };
  expect(await found((copy) => (copy[at] = copy[at]?.replace("CHG-7", "CHG-8") ?? ""))).toContain(
    "was changed",
  );
  expect(await found((copy) => void copy.splice(at, 1))).toContain("missing");
  expect(await found((copy) => void copy.splice(-2, 1))).toContain("the end is missing");
  expect(await found((copy) => void copy.splice(-3, 2, copy.at(-2) ?? "", copy.at(-3) ?? ""))).toMatch(
    /missing|order/,
  );
  expect(await found((copy) => void copy.pop())).toContain("not whole");
  expect(
    await found((copy) => (copy[1] = copy[1]?.replace('"installation":"', '"installation":"x') ?? "")),
  ).toContain("forged");
});

test("a limited key sees its own entries and those of its devices, and no whole", async () => {
  const make = async (name: string, hosts: string[]) =>
    (
      await service.call<{ key: string }>("POST", "/key", {
        ...{ name, scope: "admin", hosts, rights: ["history"] },
      })
    ).body.data.key;
  const [near, far] = [await make("near", ["127.0.0.1"]), await make("far", ["192.0.2.0/24"])];
  const as = (key: string) => ({ "X-API-KEY": key });
  const seen = async (key: string, path: string) =>
    (await service.call<LedgerRecord[]>("GET", path, undefined, as(key))).body.data;
  expect((await seen(near, "/ledger")).map(({ entry }) => entry.kind)).toEqual(["push", "hostkey.learn"]);
  expect(await seen(far, "/ledger")).toEqual([]);
  expect(await seen(far, "/ledger/outside")).toEqual([]);
  expect(await seen(near, "/ledger/outside")).toHaveLength(1);
  for (const [method, path] of [
    ["GET", "/ledger/export"],
    ["POST", "/ledger/verify"],
  ] as const)
    expect((await service.call(method, path, method === "POST" ? {} : undefined, as(near))).status).toBe(403);
  const bad = [
    ...["/ledger?cursor=x", "/ledger/outside?cursor=x"].map((path) => service.call("GET", path)),
    service.call("POST", "/ledger/verify", { next: "x" }),
  ];
  expect((await Promise.all(bad)).map(({ status }) => status)).toEqual([400, 400, 400]);
  expect((await service.call("POST", "/ledger/verify", { other: 1 })).status).toBe(422);
  const many = Array.from({ length: 1_001 }, () => ({}));
  expect((await service.call("POST", "/ledger/verify", { checkpoints: many })).status).toBe(422);
});

test("what was done to the file of the store is named", async () => {
  const { body } = await service.call<SignedCheckpoint>("POST", "/ledger/checkpoint");
  const edited = async (sql: string) => {
    await service.stop();
    const file = openFile(join(dataDir, "patchbay.db"));
    await file.script(`drop trigger if exists ledger_stays; ${sql}`);
    file.close();
    Bun.gc(true);
    service = await start();
    return verified({ checkpoints: [body.data] });
  };
  const count = body.data.checkpoint.seq;
  expect((await edited("select 1")).breaks).toEqual([]);
  expect((await edited("update ledger set body = replace(body, 'CHG-7', 'CHG-8')")).breaks).toEqual([
    "changed 5",
  ]);
  await edited("update ledger set body = replace(body, 'CHG-8', 'CHG-7')");
  const { breaks } = await edited(`delete from ledger where seq = ${count}`);
  expect(breaks).toEqual([`cut ${count}`]);
});
