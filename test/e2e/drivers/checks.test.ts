/** P83: pushes with checks through the program, on simulated devices: what is pushed, kept and rolled back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { said, watch } from "../jobs/events.ts";

const password = "canary-password-83";
const secret = "canary-enable-83";
let service: Service;
/** One device without a rollback method, and one with. */
let aruba: SimulatedDevice;
let arista: SimulatedDevice;

beforeAll(async () => {
  const env = { PATCHBAY_TEMPLATE_SECONDS: "1", PATCHBAY_RETRY_HOURS: "1" };
  [service, aruba, arista] = await Promise.all([
    startService({ env }),
    simulated("aruba_os", { password, secret }),
    simulated("arista_eos", { password, secret }),
  ]);
});
afterAll(() => Promise.all([service.stop(), aruba.stop(), arista.stop()]));

const show = "show running-config";
const lines = (n: number) => [`interface Loopback${n}`, `description checked-${n}`];

function push(device: SimulatedDevice, n: number, checks: object): Record<string, unknown> {
  const device_type = device === aruba ? "aruba_os" : "arista_eos";
  const connection_args = {
    host: "127.0.0.1",
    port: device.port,
    device_type,
    username: "admin",
    password,
    secret,
  };
  return { driver: "netmiko", connection_args, config: lines(n), checks };
}

async function runs(device: SimulatedDevice, n: number): Promise<boolean> {
  const { config: _config, checks: _checks, ...query } = push(device, n, {});
  const job = await service.run({ ...query, command: show });
  return String(job.result?.retval?.[show]).includes(`checked-${n}`);
}

const fails = { command: show, contains: "not there" };
const interfaces = {
  command: show,
  parse: { name: "textfsm", template: "Value NAME (\\S+)\n\nStart\n  ^interface ${NAME} -> Record\n" },
  expression: "$count($)",
};

test("a failed check before the push sends no line and reveals no secret", async () => {
  const tells = { name: "s", command: show, contains: `x${password}` };
  const job = await service.run(
    push(aruba, 1, { before: [tells, { command: "show bogus", not_contains: "y" }] }),
  );
  expect(job).toMatchObject({
    error_type: "CheckFailed",
    result: {
      retval: null,
      error: { message: expect.stringMatching(/^2 of 2 checks before .* Nothing was pushed\.$/) },
    },
    checks: {
      pushed: false,
      before: [
        { ok: false, expected: { contains: "x[secret]" } },
        { ok: false, message: expect.stringMatching(/^CommandError: /) },
      ],
    },
  });
  expect(job.result?.error).not.toHaveProperty("outcome");
  expect(JSON.stringify(job)).not.toContain(password);
  expect(aruba.commands().filter((line) => /^configure|Loopback1/.test(line))).toEqual([]);
});

test("warns before the push if the device has no rollback, and keeps the lines", async () => {
  const body = push(aruba, 2, { after: [fails] });
  const ticket = await service.call<{ id: string; warnings: string[] }>("POST", "/device/execute", body);
  expect(ticket.body.data.warnings.join()).toMatch(/cannot guarantee a rollback/);
  const job = await service.ended(ticket.body.data.id);
  expect(job).toMatchObject({
    error_type: "CheckFailed",
    checks: { pushed: true, undone: false, how: "none" },
  });
  expect(await runs(aruba, 2)).toBe(true);
});

test("rolls back a push that adds a record; its retry runs the same checks", async () => {
  const checks = { after: [{ ...interfaces, unchanged: true }] };
  const job = await service.run(push(arista, 3, checks));
  expect(job).toMatchObject({ error_type: "CheckFailed", checks: { pushed: true, undone: true } });
  const [before, after] = [job.checks?.before[0]?.value, job.checks?.after[0]?.value];
  expect(after).toBe(Number(before) + 1);
  expect(await runs(arista, 3)).toBe(false);
  const again = await service.call<{ id: string }>("POST", `/job/${job.id}/retry`, {});
  const retried = await service.ended(again.body.data.id);
  expect(retried).toMatchObject({ retry_of: job.id, error_type: "CheckFailed", checks: { undone: true } });
});

test("a session without the needed privilege reports that nothing was sent", async () => {
  const body = push(arista, 9, { before: [{ command: "show clock", not_contains: "x" }], after: [fails] });
  const connection_args = { ...Object(body.connection_args), secret: undefined };
  const job = await service.run({ ...body, connection_args });
  expect(job).toMatchObject({ error_type: "AuthenticationFailed", checks: { pushed: false, undone: false } });
  expect(job.result?.error).not.toHaveProperty("outcome");
  expect(job.result?.error).not.toHaveProperty("sent");
});

test("keeps a push whose checks pass and includes the checks in exports", async () => {
  const grows = { ...interfaces, at_least: 1, at_most: 5, relative: true };
  const job = await service.run(
    push(arista, 4, { before: [{ command: show, not_contains: "checked-4" }], after: [grows] }),
  );
  expect(job).toMatchObject({
    status: "finished",
    checks: { pushed: true, undone: false, after: [{ ok: true }] },
  });
  expect(await runs(arista, 4)).toBe(true);
  const listed = await service.call<object[]>("GET", `/job?id=${job.id}&fields=id,checks`);
  expect(listed.body.data).toEqual([{ id: job.id, checks: job.checks }]);
  const bare = await service.call<object[]>("GET", `/job?id=${job.id}&include_result=false`);
  expect(bare.body.data[0]).not.toHaveProperty("checks");
  const exported = await fetch(`${service.url}/job/export?format=jsonl&id=${job.id}`, {
    headers: { "X-API-KEY": service.key },
  });
  expect(JSON.parse(await exported.text()).checks).toEqual(job.checks);
});

test("rolls back when cancelled while settling", async () => {
  const body = { ...push(arista, 5, { after: [fails], settle_seconds: 280 }), ttl: 300 };
  const ticket = await service.call<{ id: string }>("POST", "/device/execute", body);
  const { id } = ticket.body.data;
  // The service has read the device's last answer, and with it the prompt after it.
  await watch(service, id, (seen) => /commit timer [^\n]*\n[^\n]*#/.test(said(seen)));
  await service.call("DELETE", `/job?id=${id}&force=true`);
  const job = await service.ended(id);
  expect(job).toMatchObject({ error_type: "Cancelled", checks: { undone: true } });
  expect(await runs(arista, 5)).toBe(false);
});

test("an endless or memory-hungry expression fails its check before the push", async () => {
  const hostile = [
    "($f := function($x){$f($x + 1)}; $f(1))",
    "($f := function($a){$f($append($a, $a))}; $f([1, 2, 3]))",
  ];
  const before = hostile.map((expression) => ({ command: show, expression }));
  const job = await service.run(push(aruba, 6, { before }));
  expect(job).toMatchObject({
    error_type: "CheckFailed",
    checks: {
      pushed: false,
      before: hostile.map(() => ({ ok: false, message: expect.stringMatching(/^ParseError: /) })),
    },
  });
  expect(aruba.commands()).not.toContain("description checked-6");
});
