/**
 * Secrets of requests and device output are never in plain text on disk, and are deleted when the job has
 * ended.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startNode } from "../../support/node.ts";
import { admin, configure, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

function onDisk(directory: string): string {
  return readdirSync(directory)
    .filter((name) => name !== "reserve")
    .map((name) => readFileSync(join(directory, name), "latin1"))
    .join("\n");
}

test("no secret of a job is readable in the database, its WAL or other files", async () => {
  const folder = temporary();
  const node = await startNode({ directory: folder.path });
  const connection = {
    host: "r1",
    device_type: "cisco_ios",
    username: "canary-user",
    password: "canary-password",
  };
  const hook = {
    url: "http://127.0.0.1:1/canary-hook",
    secret: "canary-secret",
    auth: ["canary-auth", "canary-word"],
  };
  const common = { driver: "netmiko", connection_args: connection, options: { webhook: hook } };
  const ids = [
    await node.submit({ ...common, command: "show canary-command" }, admin, "key"),
    await node.submit({ ...common, config: ["username x secret canary-line"] }),
    await node.submit({ ...common, config: ["lose canary-line"] }),
    await node.submit(query("r2", "hang canary-waits")),
    await node.submit(configure("r2", ["canary-queued"])),
  ];
  await node.bulk({ ...common, command: "show canary-bulk", devices: [{ host: "b1", port: "canary-bad" }] });
  for (const id of ids.slice(0, 3)) await node.ended(id);
  const device = { name: "r9", vars: { motd: "canary-var" } };
  await node.inventory.apply({ devices: [device] }, {}, admin);
  const seen = onDisk(folder.path);
  for (const text of [
    "canary",
    Buffer.from("canary-password").toString("base64"),
    "Y2FuYXJ5",
    "63616e617279",
  ])
    expect(seen.includes(text), text).toBe(false);
  const [ended] = await node.store.jobs.page({ ids: ids.slice(0, 1) }, 1);
  expect(ended?.result).toContain("canary-command");
  const { rows } = await node.store.raw(
    "select count(*) from jobs where status <> 'queued' and status <> 'running' and (payload is not null or sent is not null)",
  );
  expect(rows[0]?.[0]).toBe(0);
  await node.stop();
  expect(onDisk(folder.path).includes("canary")).toBe(false);
  folder.remove();
});
