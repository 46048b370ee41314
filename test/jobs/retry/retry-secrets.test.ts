/**
 * Secrets of ended jobs: not stored by default; if the operator enables it, sealed for a limited time and
 * then deleted.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCipher } from "../../../src/store/cipher.ts";
import { placeOf } from "../../../src/store/tables/columns.ts";
import { audit, bulks, jobs } from "../../../src/store/tables.ts";
import { masterKey, type Node, signal, startNode } from "../../support/node.ts";
import { admin, bodyOf } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

const connection = {
  device_type: "cisco_ios",
  username: "u",
  password: "canary-password",
  secret: "canary-enable",
};
const common = { driver: "netmiko", driver_args: { token: "canary-token" } };

/** Requests with a secret in every possible field; all of them fail. */
async function failAll(node: Node): Promise<void> {
  const single = { ...common, connection_args: { ...connection, host: "r1" } };
  const hidden = [{ send: "fail x", expect: "assword", reply: "canary-reply", hidden: true }];
  const context = { snmp: { community: "canary-community" }, users: [{ password: "canary-user-password" }] };
  const rendering = { name: "jinja2", template: "fail canary-password" };
  for (const work of [
    { command: "fail x" },
    { command: hidden },
    { command: ["fail canary-password"] },
    { config: ["fail username x secret canary-enable"] },
    { config: context, rendering },
    { command: "fail x", options: { label: "canary-password", note: "with canary-token" } },
  ])
    await node.ended(await node.submit({ ...single, ...work }));
  const devices = [{ host: "b1" }, { host: "b2", password: "canary-own", command: "fail canary-own" }];
  const template = "fail canary-own and canary-enable";
  const shared = { ...common, connection_args: connection, command: "fail canary-password", devices };
  for (const more of [{}, { parsing: { name: "textfsm", template } }]) {
    const { bulk_id } = await node.bulk({ ...shared, ...more });
    await node.jobs.waitForBulk(bulk_id, 100_000, signal);
  }
}

/** All sealed values of ended jobs, decrypted. */
async function opened(node: Node): Promise<string> {
  const cipher = createCipher(masterKey);
  const columns = [
    ["jobs", "kept", "id", jobs.retryRequest],
    ["jobs", "retry_payload", "id", jobs.retryPayload],
    ["jobs", "payload", "id", jobs.payload],
    ["jobs", "asked", "id", jobs.asked],
    ["jobs", "request", "id", jobs.request],
    ["bulks", "kept", "id", bulks.retryRequest],
    ["bulks", "note", "id", bulks.note],
    ["audit", "asked", "job_id", audit.asked],
  ] as const;
  const texts: string[] = [];
  for (const [table, column, row, sealedColumn] of columns) {
    const { rows } = await node.store.raw(
      `select ${row}, ${column} from ${table} where ${column} is not null`,
    );
    for (const [id, sealed] of rows)
      if (sealed instanceof Uint8Array)
        texts.push(`${column} ${cipher.open(sealed, placeOf(sealedColumn, String(id)))}`);
  }
  return texts.join("\n");
}

function onDisk(directory: string): Buffer {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Buffer.concat(
    files.filter(({ name }) => name !== "reserve").map(({ name }) => readFileSync(join(directory, name))),
  );
}

test("by default no secret of an ended job is stored anywhere", async () => {
  const folder = temporary();
  const node = await startNode({ directory: folder.path });
  await failAll(node);
  const texts = await opened(node);
  expect(texts).toContain("kept ");
  expect(texts).toContain('"missing":[["connection_args","password"]');
  expect(texts.match(/.*canary.*/g) ?? []).toEqual([]);
  expect(onDisk(folder.path).includes("canary")).toBe(false);
  await node.stop();
  folder.remove();
});

test("secrets kept for a retry are sealed and erased from file, log and backup when they expire", async () => {
  const folder = temporary();
  let offset = 0;
  const clock = { wall: () => Date.now() + offset, monotonic: () => performance.now() + offset };
  const node = await startNode({ directory: folder.path, retryMs: 3_600_000, store: { clock } });
  await failAll(node);
  const { rows } = await node.store.raw("select id, retry_payload from jobs where retry_payload is not null");
  const sealed = rows.map(([, bytes]) => Buffer.from(bytes instanceof Uint8Array ? bytes : []));
  expect(sealed.length).toBeGreaterThan(5);
  expect(await opened(node)).toContain("canary-password");
  expect(onDisk(folder.path).includes("canary")).toBe(false);
  await node.scheduler.sweep();
  expect((await node.store.raw("select count(retry_payload) from jobs")).rows[0]?.[0]).toBe(sealed.length);
  offset = 2 * 3_600_000;
  const id = String(rows[0]?.[0]);
  // It has expired and is no longer used, whether deleted yet or not.
  await expect(node.jobs.retryJob(id, bodyOf({ force: true }), admin)).rejects.toMatchObject({
    kind: "Validation",
  });
  await node.scheduler.sweep();
  expect((await node.store.raw("select count(retry_payload) from jobs")).rows[0]?.[0]).toBe(0);
  const backup = join(folder.path, "copy.db");
  await node.store.backup(backup);
  const bytes = onDisk(folder.path);
  expect(sealed.filter((value) => bytes.includes(value.subarray(40, 104))).length).toBe(0);
  await node.stop();
  folder.remove();
});
