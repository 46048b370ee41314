/**
 * The request stays with the job after its payload is deleted: complete for one job, abbreviated in lists,
 * without secrets.
 */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Node, startNode } from "../../support/node.ts";
import { admin, configure, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary();
let node: Node;
beforeAll(async () => {
  node = await startNode({ directory: folder.path });
});
afterAll(async () => {
  await node.stop();
  folder.remove();
});

const done = async (request: object) => node.ended(await node.submit(request));
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function listed(id: string, caller = admin): Promise<JobRecord | undefined> {
  for await (const page of node.jobs.list({}, caller, {})) {
    const found = page.find((job) => job.id === id);
    if (found) return found as JobRecord;
  }
  return undefined;
}

test("a record shows commands and config as requested; a list shows them shortened", async () => {
  const single = await done(query("r1", "show version"));
  expect(single).toMatchObject({
    command: "show version",
    request: { length: 12, sha256: sha256("show version") },
  });
  expect(single).not.toHaveProperty("config");
  expect(await listed(single.id)).toMatchObject({ command: "show version", request: { length: 12 } });
  const lines = ["interface Lo7", " description x"];
  const pushed = await done(configure("r1", lines));
  expect(pushed).toMatchObject({ config: lines, request: { sha256: sha256(lines.join("\n")) } });
  expect(pushed.request).not.toHaveProperty("cut");
  expect(await listed(pushed.id)).toMatchObject({ config: "interface Lo7", request: { cut: true } });
});

test("a request with more than 10,000 secrets is rejected", async () => {
  const named = (count: number) => ({
    driver_args: { passwords: Array.from({ length: count }, (_, at) => `canary-${at}`) },
  });
  await expect(node.submit(query("r1", "show version", named(10_001)))).rejects.toMatchObject({
    kind: "Validation",
    detail: { issues: [{ message: "names more than 10000 passwords, tokens and keys" }] },
  });
  expect((await done(query("r1", "show version", named(100)))).status).toBe("finished");
});

test("failed, cancelled and queued jobs show their command", async () => {
  expect(await done(query("r1", ["show a", "fail b"]))).toMatchObject({ command: ["show a", "fail b"] });
  const blocker = await node.submit(query("r2", "hang"));
  const waiting = await node.submit(query("r2", "show later"));
  expect(await listed(waiting)).toMatchObject({ status: "queued", command: "show later" });
  await node.jobs.cancel({ id: waiting }, false, admin);
  await node.jobs.cancel({ id: blocker }, true, admin);
  expect(await node.ended(waiting)).toMatchObject({ status: "cancelled", command: "show later" });
});

test("hidden replies, passwords and secret context fields are masked in the record", async () => {
  const steps = [
    { send: "copy x y", expect: "word", reply: "hidden-reply-1", hidden: true },
    "show canary-password",
  ];
  const queried = await done(query("r1", steps as never));
  expect(queried.command).toEqual([{ ...(steps[0] as object), reply: "[secret]" }, "show [secret]"]);
  const context = { name: "Lo7", snmp: { community: "c0mmunity-x" }, note: "of c0mmunity-x" };
  const rendering = { rendering: { name: "jinja2", template: "x" } };
  const pushed = await done(configure("r1", context, rendering));
  expect(pushed.config).toEqual({ name: "Lo7", snmp: { community: "[secret]" }, note: "of [secret]" });
});

test("user and password in a URL are masked in commands and contexts", async () => {
  const job = await done(query("r1", "copy http://ops:w0rd-x@files.example/image flash:"));
  expect(job.command).toBe("copy http://[secret]@files.example/image flash:");
  expect(
    (
      await done(
        configure("r1", { from: "ftp://u:w0rd-y@h/x" }, { rendering: { name: "jinja2", template: "x" } }),
      )
    ).config,
  ).toEqual({
    from: "ftp://[secret]@h/x",
  });
});

test("P31: no secret of a request appears in its record, the list or the audit trail", async () => {
  const canary = (name: string) => `canary-${name}-q7Zx"\\`;
  const fields = ["password", "secret", "pkey", "passphrase", "proxy_password", "proxy_passphrase"];
  const secrets = Object.fromEntries(fields.map((name) => [name, canary(name)]));
  const all = [...Object.values(secrets), canary("sudo"), canary("hook")];
  const forms = all.flatMap((text) => [
    text,
    Buffer.from(text).toString("base64"),
    Buffer.from(text).toString("hex"),
  ]);
  const more = {
    connection_args: { host: "r7", device_type: "cisco_ios", username: "u", ...secrets },
    driver_args: { sudo_password: canary("sudo") },
    options: {
      label: forms.slice(0, 1).join(""),
      note: forms.slice(0, 6).join(" "),
      tags: all.slice(0, 3),
      webhook: { url: "http://a.example/x", secret: canary("hook") },
    },
  };
  const first = forms.join(" ");
  const ids = [
    await node.submit(query("r7", first, more)),
    await node.submit(query("r7", [first, "show b"], more)),
    await node.submit(configure("r7", [first, "x"], more)),
    await node.submit(
      configure("r7", { [canary("sudo")]: first }, { ...more, rendering: { name: "jinja2", template: "x" } }),
    ),
  ];
  for (const id of ids) {
    const { result: _result, ...record } = await node.ended(id);
    const { result: _listed, ...short } = (await listed(id)) ?? {};
    const { entries } = await node.admin.audit({ limit: 500 }, admin);
    const shown = JSON.stringify([record, short, entries]);
    expect(forms.filter((form) => shown.includes(JSON.stringify(form).slice(1, -1)))).toEqual([]);
    expect(shown).toContain("[secret]");
  }
});

test("a request above 64 KiB is truncated in the record, with its length and SHA-256", async () => {
  const text = `interface Lo7\n${"x".repeat(100_000)}`;
  const job = await done(configure("r1", text));
  expect(job.config).toBe(text.slice(0, 65_536));
  expect(job.request).toEqual({ length: text.length, sha256: sha256(text), cut: true });
  expect(await listed(job.id)).toMatchObject({ config: "interface Lo7", request: { cut: true } });
  expect(JSON.stringify(await listed(job.id)).length).toBeLessThan(text.length * 2.2);
});

test("label, ticket, note and tags are accepted like options, and copied to all jobs of a bulk", async () => {
  const purpose = {
    label: "uplinks",
    ticket: "CHG-7",
    note: "asked by ops\nsecond line",
    tags: ["night", "core"],
  };
  expect(await done(query("r1", "show a", { options: purpose }))).toMatchObject(purpose);
  const flat = await done(query("r1", "show a", { ...purpose, options: { label: "loses" } }));
  expect(flat).toMatchObject(purpose);
  const { succeeded } = await node.bulk({
    driver: "netmiko",
    connection_args: { device_type: "cisco_ios", username: "u", password: "p" },
    command: "show a",
    devices: [{ host: "b1" }, { host: "b2", command: "show own" }],
    options: purpose,
  });
  const jobs = await Promise.all(succeeded.map(({ id }) => node.ended(id)));
  expect(jobs.map(({ command }) => command)).toEqual(["show a", "show own"]);
  for (const job of jobs) expect(job).toMatchObject(purpose);
  const long = query("r1", "show a", { options: { label: "x".repeat(201) } });
  await expect(node.submit(long)).rejects.toMatchObject({ kind: "Validation" });
});

test("an audit entry has the SHA-256 and first line of the config", async () => {
  const lines = ["hostname R1", "snmp-server community canary-password RO"];
  const job = await done(configure("r9", lines));
  const { entries } = await node.admin.audit({ limit: 500 }, admin);
  const masked = "hostname R1\nsnmp-server community [secret] RO";
  expect(entries.find((entry) => entry.job_id === job.id)?.asked).toEqual({
    length: masked.length,
    sha256: sha256(masked),
    first_line: "hostname R1",
  });
});

test("a key sees commands only of jobs on hosts that it may reach", async () => {
  const job = await done(query("10.1.2.3", "show private"));
  const other = { ...admin, keyId: "other" };
  expect(await listed(job.id, { ...other, hosts: ["10.9.0.0/16"] })).toBeUndefined();
  expect(await listed(job.id, { ...other, hosts: ["10.1.0.0/16"] })).toMatchObject({
    command: "show private",
  });
});

test("user and password of a URL appear in no record, list or audit entry", async () => {
  const url = "ftp://canary-user:canary-pass@192.0.2.7/startup.cfg";
  const requests = [
    query("u1", [`copy running-config ${url}`, "show clock"], { note: `see ${url}`, tags: [url] }),
    configure("u2", ["archive", ` path ${url}`]),
    configure("u3", { server: url }, { rendering: { name: "jinja2", template: "x" } }),
  ];
  const everywhere: unknown[] = [];
  for (const request of requests) {
    // A device's output is its own text, keyed by the command as typed.
    const { result: _result, ...record } = await done(request);
    const { result: _brief, ...brief } = (await listed(record.id)) ?? {};
    expect(JSON.stringify(record)).toContain("//[secret]@192.0.2.7");
    everywhere.push(record, brief);
  }
  everywhere.push(await node.admin.audit({ limit: 500 }, admin));
  expect(JSON.stringify(everywhere)).not.toMatch(/canary-(user|pass)\b/);
});
