/** Rehearsals of pushes: nothing is changed, and each line is graded by what is known. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvidenceRecord, Rehearsal } from "../../../src/api/rehearsal/rehearsal.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";

const login = { username: "admin", password: "canary-login-38", secret: "canary-enable-38" };
const secret = "canary-community-38";
let service: Service;
let ios: SimulatedDevice;

beforeAll(async () => {
  [service, ios] = await Promise.all([startService(), simulated("cisco_ios", login)]);
  await service.call("PUT", "/credential/lab", login);
  const devices = [
    { name: "r1", host: "127.0.0.1", port: ios.port, driver: "netmiko", platform: "cisco_ios" },
  ].map((device) => ({ ...device, credential: { name: "file", ref: "lab" } }));
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBe(200);
  await service.call("POST", "/history/take", { device: "r1" }, { Prefer: "wait=60" });
});
afterAll(async () => {
  await Promise.all([service.close(), ios.stop()]);
});

const running = async () => {
  await service.call("POST", "/history/take", { device: "r1" }, { Prefer: "wait=60" });
  const { body } = await service.call<{ sha256: string }[]>("GET", "/history/device/r1");
  const sha256 = body.data[0]?.sha256;
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  return sha256;
};

async function rehearsed(config: readonly string[], more: object = {}) {
  const job = await service.run({ device: "r1", config, rehearse: true, ...more });
  const retval = Reflect.get(job.result ?? {}, "retval");
  return { job, rehearsal: Reflect.get(retval ?? {}, "rehearsal") as Rehearsal };
}

const config = [
  "interface Loopback7",
  " description first",
  " no shutdown",
  `snmp-server community ${secret} RO`,
  "username admin privilege 1 secret canary-other-38",
];

test("a rehearsal grades each line, foretells the configuration and the way back, and changes nothing", async () => {
  const before = await running();
  const { job, rehearsal } = await rehearsed(config);
  expect(job, JSON.stringify(job)).toMatchObject({ status: "finished", operation: "query" });
  expect(rehearsal.lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  expect(rehearsal.lines[4]).toMatchObject({ grade: "locks_out", evidence: { from: "session" } });
  expect(rehearsal.grades.seen).toBeUndefined();
  expect(rehearsal.configuration).toMatchObject({ version: 1 });
  expect(rehearsal.diff).toContain("+interface Loopback7\n+ description first");
  expect(rehearsal.predicted).toContain("interface Loopback7\n description first");
  expect(rehearsal.reverse).toEqual([
    "no username admin",
    expect.stringMatching(/^no snmp-server community <secret \w+> RO$/),
    "no interface Loopback7",
  ]);
  expect(rehearsal.reverse_proven).toBe(true);
  expect(rehearsal.message).toMatch(/^5 lines: .*locks_out.*Line 5: it locks us out/);
  expect(JSON.stringify(rehearsal)).not.toMatch(/canary-(?:community|other|login)/);
  expect(await running()).toBe(before);
});

test("a line is seen after a push, its shape is recorded without values, and a retry stays a rehearsal", async () => {
  const pushed = await service.run({
    device: "r1",
    config: ["interface Loopback8", "description canary-text-38"],
  });
  expect(pushed.status, JSON.stringify(pushed)).toBe("finished");
  const evidence = async () =>
    (await service.call<EvidenceRecord[]>("GET", "/evidence?platform=cisco_ios")).body.data;
  await expect.poll(async () => (await evidence()).length, { timeout: 30_000 }).toBeGreaterThan(0);
  expect(await evidence()).toContainEqual(
    expect.objectContaining({ section: "interface", shape: "description <text>", accepted: 1, refused: 0 }),
  );
  expect(JSON.stringify(await evidence())).not.toContain("canary");
  const { job, rehearsal } = await rehearsed(["interface Loopback9", " description other"]);
  // Its version was never discovered.
  expect(rehearsal.lines[1]).toMatchObject({
    grade: "alike",
    evidence: { from: expect.stringMatching(/record|configuration/) },
  });
  const again = await service.call<{ id: string }>("POST", `/job/${job.id}/retry`, {});
  const { id } = again.body.data;
  expect(await service.ended(id)).toMatchObject({
    operation: "query",
    result: { retval: { rehearsal: {} } },
  });
});

test("each grade of an answer has its evidence, and without a configuration nothing is said to be there", async () => {
  const lines = [
    "no ip route 10.77.0.0 255.255.0.0 10.0.0.1",
    "interface Vlan77",
    " no ip address",
    "no username admin",
  ];
  const fresh = { name: "r2", host: "127.0.0.1", port: ios.port, driver: "netmiko", platform: "cisco_ios" };
  const devices = [{ ...fresh, credential: { name: "file", ref: "lab" } }];
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBe(200);
  const known = await rehearsed(lines);
  const { rehearsal } = await rehearsed(lines, { device: "r2" });
  for (const { grade, evidence } of [...known.rehearsal.lines, ...rehearsal.lines])
    if (grade === "seen" || grade === "alike" || grade === "no_effect")
      expect([grade, evidence.from, (evidence.accepted ?? 0) > 0]).toEqual([
        ...[grade, expect.stringMatching(/^(?:record|configuration)$/), true],
      ]);
  expect(rehearsal.configuration).toBeNull();
  expect(rehearsal.lines.map(({ line, grade }) => [line, grade])).toEqual(
    expect.arrayContaining([
      [1, "unknown"],
      [4, "locks_out"],
    ]),
  );
  expect(rehearsal.grades.no_effect).toBeUndefined();
  expect(rehearsal.warnings).toContainEqual(expect.stringContaining("lock us out is known in part"));
});

test("a bulk is rehearsed as one job for each device; a query cannot be, nor a misspelt one", async () => {
  const bulk = await service.call<{ succeeded: { id: string }[] }>("POST", "/device/bulk", {
    ...{ select: "name:r1", config: ["hostname x"], rehearse: true },
  });
  expect(bulk.body.data.succeeded, JSON.stringify(bulk.body)).toHaveLength(1);
  expect(await service.ended(bulk.body.data.succeeded[0]?.id ?? "")).toMatchObject({
    ...{ operation: "query", status: "finished", result: { retval: { rehearsal: { grades: {} } } } },
  });
  const query = await service.call("POST", "/device/execute", {
    device: "r1",
    command: "show x",
    rehearse: true,
  });
  expect(query).toMatchObject({ status: 422, body: { data: [{ path: "rehearse" }] } });
  const misspelt = await service.call("POST", "/device/execute", {
    device: "r1",
    config: ["x"],
    rehears: true,
  });
  expect(misspelt.status).toBe(422);
});

test("the client rehearses a push, and carries the record from one site to another", async () => {
  const someone = await loggedIn(service.url, adminKey, {});
  const lines = join(someone.home, "lines.txt");
  writeFileSync(lines, `${config.join("\n")}\n`);
  const before = await running();
  const pushed = await someone.piped(["push", "--select", "name:r1", lines, "--rehearse"]);
  expect(pushed, pushed.err).toMatchObject({ code: 0 });
  expect(pushed.out).toMatch(/^alike +interface Loopback7 .*\n(?:.*\n)*locks_out +username admin /m);
  expect(pushed.out).toMatch(/--- would change\n(?:.*\n)*\+interface Loopback7\n/);
  expect(pushed.out).toMatch(/--- takes it back\nno username admin\n/);
  expect(pushed.out).not.toContain("canary-community");
  expect(await running()).toBe(before);
  for (const other of ["--dry-run", "--save", "--as-change"])
    expect(
      await someone.piped(["push", "--select", "name:r1", lines, "--rehearse", other, "--yes"]),
    ).toMatchObject({ code: 2, err: expect.stringContaining("--rehearse") });

  const exported = await someone.piped(["evidence", "export", "--platform", "cisco_ios"]);
  expect(exported, exported.err).toMatchObject({ code: 0 });
  const records = exported.out.trim().split("\n");
  expect(records.map((line) => JSON.parse(line).shape)).toContain("description <text>");
  expect(exported.out).not.toContain("canary");
  const file = join(someone.home, "lines.jsonl");
  writeFileSync(file, exported.out);
  const imported = await someone.piped(["evidence", "import", file]);
  expect(imported).toMatchObject({
    code: 0,
    err: expect.stringContaining(`${records.length} shapes added.`),
  });
  const twice = await someone.piped(["evidence", "export", "--platform", "cisco_ios"]);
  const counts = (out: string) =>
    out
      .trim()
      .split("\n")
      .map((line) => Number(JSON.parse(line).accepted));
  expect(counts(twice.out)).toEqual(counts(exported.out).map((count) => 2 * count));
  writeFileSync(file, `${records[0]}\nnot of an export\n`);
  expect(await someone.piped(["evidence", "import", file])).toMatchObject({
    ...{ code: 2, err: expect.stringContaining("Line 2 of") },
  });
  writeFileSync(file, `${JSON.stringify({ ...JSON.parse(records[0] ?? ""), shape: "vlan customer-7" })}\n`);
  expect(await someone.piped(["evidence", "import", file])).toMatchObject({
    ...{ code: 2, err: expect.stringContaining("evidence.0.shape") },
  });
});
