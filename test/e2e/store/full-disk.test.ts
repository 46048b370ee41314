/** A full disk has one answer on every route that writes: 507 with the envelope; below the reserve as when it is full. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { needsSpace } from "../../../src/http/route.ts";
import { definitions } from "../../../src/http/route-table.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { startSwitch } from "../../drivers/pyeapi/switch.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const mayMount = process.getuid?.() === 0 && process.platform === "linux";
const folder = tempFolder();
const disk = join(folder, "disk");
const dataDir = join(disk, "data");
const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
let service: Service;
let device: SimulatedDevice;
const ids: Record<string, string> = {};

const query = {
  driver: "netmiko",
  connection_args: { device_type: "cisco_ios", host: "192.0.2.1", username: "u", password: "p" },
  command: "show clock",
};
const hour = 3_600_000;
const waiting = () => ({
  ...query,
  options: { not_before: new Date(Date.now() + hour).toISOString(), ttl: 7_200 },
});
const failing = { ...query, connection_args: { ...query.connection_args, host: "127.0.0.1", port: 1 } };
const change = { name: "ntp", devices: ["d"], config: "ntp server 192.0.2.1", approvals: { count: 0 } };
const intent = {
  select: "name:d",
  text: "ntp server 192.0.2.1\n",
  sections: [{ name: "ntp", match: ["ntp *"] }],
};
const schedule = {
  name: "nightly",
  cron: "0 3 * * *",
  what: { kind: "query", request: { select: "name:d", command: "show clock" } },
};
const template = { engine: "jinja2", template: "x" };
const hook = { name: "first", provider: "github" };
const recipe = { steps: [{ name: "a", kind: "render", request: { template: "x" } }] };
const again = { connection_args: { password: "p" } };
const webhook = { config: { url: "http://192.0.2.1/" }, events: ["bulk.ended"] };
const source = { kind: "url", format: "csv", url: "http://192.0.2.1/d.csv" };

/** Each route that writes, with a request that it would accept. */
const writes: Record<string, () => [path: string, body?: unknown]> = {
  "POST /device/execute": () => ["/device/execute", waiting()],
  "POST /device/bulk": () => ["/device/bulk", { ...waiting(), devices: [{}] }],
  "POST /mcp": () => [
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find_devices", arguments: {} } },
  ],
  "POST /job/:name/retry": () => [`/job/${ids.failed}/retry`, again],
  "POST /bulk/:name/retry": () => [`/bulk/${ids.bulk}/retry`, again],
  "POST /job/release": () => [`/job/release?id=${ids.waiting}`],
  "POST /inventory/discover": () => ["/inventory/discover", { select: "name:d" }],
  "POST /inventory/import": () => ["/inventory/import?format=csv", "name,host\nx,192.0.2.9\n"],
  "PUT /inventory/source/:name": () => ["/inventory/source/s", source],
  "POST /inventory/source/:name/sync": () => ["/inventory/source/s/sync"],
  "DELETE /inventory/source/:name": () => ["/inventory/source/s"],
  "POST /schedule": () => ["/schedule", { ...schedule, name: "other" }],
  "PUT /schedule/:name": () => ["/schedule/nightly", { ...schedule, cron: "0 4 * * *" }],
  "PATCH /schedule/:name": () => ["/schedule/nightly", { cron: "0 5 * * *" }],
  "POST /schedule/:name/run": () => ["/schedule/nightly/run"],
  "POST /schedule/:name/pause": () => ["/schedule/nightly/pause"],
  "POST /schedule/:name/resume": () => ["/schedule/paused/resume"],
  "DELETE /schedule/:name": () => ["/schedule/nightly"],
  "PUT /recipe/:name": () => ["/recipe/more", recipe],
  "POST /recipe/:name/run": () => ["/recipe/kept/run", {}],
  "POST /recipe/:name/hook": () => ["/recipe/kept/hook", { ...hook, name: "more" }],
  "PUT /recipe/:name/hook/:item": () => ["/recipe/kept/hook/first", { provider: "github" }],
  "DELETE /recipe/:name/hook/:item": () => ["/recipe/kept/hook/first"],
  "DELETE /recipe/:name": () => ["/recipe/kept"],
  "PUT /template/:name": () => ["/template/more", template],
  "DELETE /template/:name": () => ["/template/kept"],
  "PUT /file/:name": () => ["/file/a.bin", "x".repeat(9_000_000)],
  "POST /key": () => ["/key", { name: "second", scope: "read" }],
  "PATCH /key": () => ["/key?name=first", { credentials: ["c"] }],
  "DELETE /key": () => ["/key?name=first"],
  "PUT /role/:name": () => ["/role/more", { groups: ["more"], scope: "read" }],
  "DELETE /role/:name": () => ["/role/readers"],
  "POST /session": () => ["/session"],
  "DELETE /session/:name": () => [`/session/${ids.session}`],
  "PUT /credential/:name": () => ["/credential/d", { username: "u", password: "p" }],
  "DELETE /credential/:name": () => ["/credential/c"],
  "POST /inventory/device": () => ["/inventory/device", { devices: [{ name: "e", host: "192.0.2.2" }] }],
  "PUT /inventory/device/:name": () => ["/inventory/device/f", { host: "192.0.2.3" }],
  "PATCH /inventory/device/:name": () => ["/inventory/device/d", { host: "192.0.2.4" }],
  "DELETE /inventory/device/:name": () => ["/inventory/device/d"],
  "PUT /inventory/group/:name": () => ["/inventory/group/h", { vars: { a: 1 } }],
  "PATCH /inventory/group/:name": () => ["/inventory/group/g", { vars: { a: 1 } }],
  "POST /webhook": () => ["/webhook", { ...webhook, name: "second" }],
  "PATCH /webhook/:name": () => ["/webhook/first", { format: "slack" }],
  "POST /webhook/:name/test": () => ["/webhook/first/test"],
  "DELETE /webhook/:name": () => ["/webhook/first"],
  "DELETE /inventory/group/:name": () => ["/inventory/group/g"],
  "POST /change": () => ["/change", change],
  "PUT /change/:name": () => [`/change/${ids.change}`, change],
  "POST /change/:name/plan": () => [`/change/${ids.change}/plan`],
  "POST /history/take": () => ["/history/take", { device: "sw" }],
  "POST /history/notify": () => ["/history/notify", { device: "sw" }],
  "PATCH /history/device/:name/:item": () => ["/history/device/sw/1", { note: "before the move" }],
  "POST /history/device/:name/:item/restore": () => ["/history/device/sw/1/restore", {}],
  "POST /history/device/:name/rename": () => ["/history/device/sw/rename", { to: "sw" }],
  "PUT /intent/:name": () => ["/intent/more", intent],
  "DELETE /intent/:name": () => ["/intent/kept"],
  "POST /drift/run": () => ["/drift/run", {}],
  "PUT /history/remote/:name": () => ["/history/remote/r", { url: "https://192.0.2.1/x.git" }],
  "POST /history/remote/:name/push": () => ["/history/remote/kept/push"],
  "DELETE /history/remote/:name": () => ["/history/remote/kept"],
};
/**
 * They store nothing, free space, end work, or need something that a device has done before; or they are another form of
 * one above, as those of Oxidized and those for keys of persons are.
 */
const others = [
  // One that was planned, approved or started is needed.
  "POST /change/:name/target/:item/compare",
  ...["rehearse", "vote", "start", "pause", "resume", "stop", "return", "cancel"].map(
    (word) => `POST /change/:name/${word}`,
  ),
  // A run that has not ended is needed.
  "DELETE /recipe/:name/run/:item",
  // An agent proposes one.
  ...["POST /recipe/:name/run/:item/accept", "POST /recipe/:name/run/:item/refuse"],
  ...["POST /device/test-connection", "POST /schedule/preview", "DELETE /worker"],
  ...["POST /role/preview", "PATCH /person/:name", "POST /person/:name/forget"],
  ...["POST /template/render", "POST /template/render/:name", "POST /template/parse"],
  "POST /template/test/:name",
  ...["POST /template/parse/:name", "DELETE /job", "DELETE /bulk/:name", "DELETE /detached-task/:name"],
  ...["POST /ledger/checkpoint", "POST /ledger/verify", "POST /drift/fix"],
  ...["DELETE /file/:name", "DELETE /host-key/:name", "POST /host-key/:name/accept"],
  ...["DELETE /history/device/:name", "POST /history/import", "POST /oxidized/nodes/conf_search"],
  ...["POST /evidence/import"],
  ...["PUT /oxidized/node/next/:name", "PUT /oxidized/node/next/:name/:item"],
  ...["POST /person/me/key", "DELETE /person/me/key/:name", "POST /person/me/login"],
];

beforeAll(async () => {
  mkdirSync(disk);
  if (mayMount) execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]);
  service = await startService({ dataDir, env: { PATCHBAY_MIN_FREE_MB: "0", PATCHBAY_MCP: "read" } });
  const made = async (method: string, path: string, body?: unknown) => {
    const answer = await sent(method, path, body);
    expect([path, answer]).toEqual([
      path,
      expect.objectContaining({ body: expect.objectContaining({ code: 200 }) }),
    ]);
    return (answer.body.data ?? {}) as Record<string, string>;
  };
  ids.waiting = (await made("POST", "/device/execute", waiting())).id ?? "";
  ids.failed = (await made("POST", "/device/execute", failing)).id ?? "";
  ids.bulk = (await made("POST", "/device/bulk", { ...failing, devices: [{}] })).bulk_id ?? "";
  await service.ended(ids.failed);
  await made("POST", "/key", { name: "first", scope: "read" });
  await made("PUT", "/role/readers", { groups: ["all"], scope: "read" });
  await made("PUT", "/credential/c", { username: "u", password: "p" });
  await made("PUT", "/inventory/group/g", {});
  await made("PUT", "/inventory/device/d", { host: "192.0.2.1" });
  await made("PUT", "/inventory/source/s", source);
  device = await simulated("cisco_ios", login);
  await made("PUT", "/credential/lab", login);
  const place = { host: "127.0.0.1", port: device.port, driver: "netmiko", platform: "cisco_ios" };
  await made("PUT", "/inventory/device/sw", { ...place, credential: { name: "file", ref: "lab" } });
  ids.change = (await made("POST", "/change", change)).id ?? "";
  await made("POST", "/history/take", { device: "sw" });
  await vi.waitFor(async () => expect(await versions()).toHaveLength(1), { timeout: 60_000 });
  await made("PUT", "/intent/kept", intent);
  await made("PUT", "/history/remote/kept", { url: "https://192.0.2.1/x.git" });
  for (const name of ["nightly", "paused"]) await made("POST", "/schedule", { ...schedule, name });
  await made("POST", "/schedule/paused/pause");
  await made("PUT", "/recipe/kept", recipe);
  await made("POST", "/recipe/kept/hook", hook);
  await made("PUT", "/template/kept", template);
  await made("POST", "/webhook", { ...webhook, name: "first" });
  ids.session = (await made("POST", "/session")).id ?? "";
});
afterAll(async () => {
  await service?.stop();
  await device?.stop();
  if (mayMount) execFileSync("/bin/umount", ["-l", disk]);
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => free());

async function sent(method: string, path: string, body?: unknown) {
  const type = path.startsWith("/file/")
    ? "application/octet-stream"
    : typeof body === "string"
      ? "text/plain"
      : "application/json";
  return service.call(method, path, body, { "Content-Type": type });
}

const versions = async () => ((await sent("GET", "/history/device/sw")).body.data ?? []) as object[];

async function answersOf(names: readonly string[]): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const [path, body] = writes[name]?.() ?? [""];
    const { status, body: answer } = await sent(name.split(" ")[0] ?? "", path, body);
    found[name] = [status, answer.code, answer.message];
  }
  return found;
}

const each = (names: readonly string[], answer: unknown) =>
  Object.fromEntries(names.map((name) => [name, answer]));

const free = () => execFileSync("sh", ["-c", `rm -f "$0"/filler-*`, disk]);

function fill(): void {
  for (let bytes = 64 * 1024 * 1024; bytes >= 4096; bytes = Math.floor(bytes / 2)) {
    const { bavail, bsize } = statfsSync(disk);
    try {
      if (bytes <= bavail * bsize) writeFileSync(join(disk, `filler-${bytes}`), Buffer.alloc(bytes, 1));
    } catch {
      // Others have taken it: half of it may still fit.
    }
  }
}

test("every route is known as one that writes, or as one that does not", () => {
  const all = definitions
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !name.startsWith("GET "));
  expect([...Object.keys(writes), ...others].sort()).toEqual(all.sort());
});

test.skipIf(!mayMount)("all of them answer 507 on a full disk, and say so", async () => {
  fill();
  const large = { ...waiting(), command: `show ${"x".repeat(60_000)}` };
  await expect
    .poll(async () => (await sent("POST", "/device/execute", large)).status, { timeout: 60_000 })
    .toBe(507);
  const names = Object.keys(writes).filter((name) => name !== "PUT /file/:name");
  expect(await answersOf(names)).toEqual(each(names, [507, -1, "The storage is full."]));
  // The reserve was freed for the ends of jobs.
  expect((await sent("DELETE", `/job?id=${ids.waiting}`)).status).toBe(200);
  fill();
  expect(await answersOf(["PUT /file/:name"])).toEqual({
    "PUT /file/:name": [507, -1, "The disk of the transfer folder is full."],
  });
});

/** Starts a take that ends when the disk is full, and lets it wait there. @returns the id of its job */
async function takeOnFullDisk(device: string): Promise<string> {
  const asked = await vi.waitFor(
    async () => {
      const not_before = new Date(Date.now() + 2_000).toISOString();
      const answer = await sent("POST", "/history/take", { device, options: { not_before } });
      expect(answer.status).toBeLessThan(300);
      return answer.body.data as { bulk_id: string };
    },
    { timeout: 60_000, interval: 500 },
  );
  const jobs = await service.call<{ id: string }[]>("GET", `/job?bulk_id=${asked.bulk_id}`);
  const id = jobs.body.data[0]?.id ?? "";
  const timesFull = () => service.output().split('"store.full"').length;
  const before = timesFull();
  fill();
  // The reserve is there for ends of jobs; without it the job waits for space.
  await expect.poll(timesFull, { timeout: 60_000 }).toBeGreaterThan(before);
  return id;
}
const statusOf = async (id: string) => (await service.job(id)).status;

test.skipIf(!mayMount)("a take that ends on a full disk is neither lost nor half stored", async () => {
  const id = await takeOnFullDisk("sw");
  expect(await statusOf(id)).toMatch(/finished|queued|running/);
  free();
  await expect.poll(() => statusOf(id), { timeout: 120_000 }).toBe("finished");
  expect(await versions()).toHaveLength(1);
});

test.skipIf(!mayMount)(
  "a new text that finds no space is no version; with space it is one, whole",
  async () => {
    const eos = await startSwitch({ password: login.password });
    const place = { host: "127.0.0.1", port: eos.port, driver: "pyeapi", connection: { transport: "http" } };
    const credential = { name: "file", ref: "lab" };
    const listed = () => sent("GET", "/history/device/leaf").then(({ body }) => body.data as object[]);
    const taken = async () => {
      const { body } = await sent("POST", "/history/take", { device: "leaf" });
      const jobs = await service.call<{ id: string }[]>(
        "GET",
        `/job?bulk_id=${(body.data as { bulk_id: string }).bulk_id}`,
      );
      await expect.poll(() => statusOf(jobs.body.data[0]?.id ?? ""), { timeout: 60_000 }).toBe("finished");
    };
    try {
      expect((await sent("PUT", "/inventory/device/leaf", { ...place, credential })).status).toBeLessThan(
        300,
      );
      await taken();
      // Longer than what the reserve and a small gap hold.
      const lines = Array.from({ length: 30_000 }, () => `vlan ${randomBytes(24).toString("hex")}`);
      eos.running.push(...lines);
      const id = await takeOnFullDisk("leaf");
      expect(await listed()).toHaveLength(1);
      free();
      await expect.poll(() => statusOf(id), { timeout: 120_000 }).toBe("finished");
      expect(await listed()).toMatchObject([{ version: 2, state: "good" }, { version: 1 }]);
      const { body } = await sent("GET", "/history/device/leaf/2");
      expect((body.data as { text: string }).text).toContain(`\n${lines.join("\n")}\nend\n`);
      await taken();
      expect(await listed()).toHaveLength(2);
    } finally {
      eos.close();
    }
  },
);

test("below the reserve what stores something new answers 507, and the rest works", async () => {
  await service.stop();
  service = await startService({ dataDir, env: { PATCHBAY_MIN_FREE_MB: "1000000", PATCHBAY_MCP: "read" } });
  const grown = definitions.filter(needsSpace).map(({ method, path }) => `${method} ${path}`);
  const names = Object.keys(writes).filter((name) => grown.includes(name));
  const why = expect.stringMatching(/^Nothing new is stored now: the disk has \d+ MiB free/);
  expect(await answersOf(names)).toEqual(each(names, [507, -1, why]));
  const rest = Object.keys(writes).filter((name) => !names.includes(name));
  const statuses = Object.entries(await answersOf(rest)).map(([name, answer]) => [name, answer]);
  expect(statuses).toEqual(
    rest.map((name) => [name, [expect.toSatisfy((s: number) => s < 300), 200, expect.anything()]]),
  );
});
