/** The table "Who may do what" of docs/guides/changes.md, for keys; votes of persons are in test/changes/votes.test.ts. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeDetail } from "../../../src/api/changes/change.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

let service: Service;
const keys: Record<string, string> = {};

beforeAll(async () => {
  service = await startService();
  const groups = [{ name: "core", change: { required: true } }];
  const devices = ["r1", "r2"].map((name, at) => ({
    ...{ name, host: `192.0.2.${at + 1}`, driver: "netmiko", platform: "cisco_ios", group: "core" },
  }));
  expect((await service.call("POST", "/inventory/device", { groups, devices })).status).toBe(200);
  for (const [name, limits] of Object.entries({
    reads: { scope: "read" },
    author: { scope: "operate" },
    operates: { scope: "operate" },
    votes: { scope: "operate", rights: ["approve"] },
    historian: { scope: "operate", rights: ["history"] },
    near: { scope: "operate", hosts: ["192.0.2.1"] },
    boss: { scope: "admin" },
  })) {
    const { body } = await service.call<{ key: string }>("POST", "/key", { name, ...limits });
    keys[name] = body.data.key;
  }
});
afterAll(() => service.close());

const as = <T>(who: string, method: string, path: string, body?: object) =>
  service.call<T>(method, path, body, { "X-API-KEY": keys[who] ?? "" });
const request = { name: "ntp", devices: ["r1", "r2"], config: "ntp server 192.0.2.9" };
const restoring = { name: "back", devices: ["r1"], restore: { version: 1 } };
async function drafted(): Promise<string> {
  const { body } = await as<ChangeDetail>("author", "POST", "/change", request);
  return body.data.id;
}

test.each<[what: string, method: string, path: string, body: object | undefined, Record<string, number>]>([
  ["read", "GET", "", undefined, { reads: 200, operates: 200, near: 404, boss: 200 }],
  ["its devices", "GET", "/target", undefined, { reads: 200, near: 404 }],
  ["its steps", "GET", "/step", undefined, { reads: 200, near: 404 }],
  ["a difference", "GET", "/target/r1/difference", undefined, { operates: 403, historian: 404, near: 403 }],
  ["a comparison", "POST", "/target/r1/compare", {}, { reads: 403, near: 404, operates: 404 }],
  ["edit", "PUT", "", request, { reads: 403, operates: 403, boss: 403, near: 404, author: 200 }],
  ["plan", "POST", "/plan", {}, { reads: 403, near: 404, operates: 200 }],
  ["start", "POST", "/start", {}, { reads: 403, near: 404, operates: 409, boss: 409 }],
  ["pause", "POST", "/pause", {}, { reads: 403, near: 404, operates: 409 }],
  ["resume", "POST", "/resume", {}, { reads: 403, near: 404, operates: 409 }],
  ["stop", "POST", "/stop", {}, { reads: 403, near: 404, operates: 409 }],
  ["return", "POST", "/return", {}, { reads: 403, near: 404, operates: 409 }],
  ["cancel", "POST", "/cancel", {}, { reads: 403, near: 404, operates: 200 }],
])("%s", async (_what, method, path, body, answers) => {
  const id = await drafted();
  for (const [who, status] of Object.entries(answers)) {
    const answer = await as(who, method, `/change/${id}${path}`, body);
    expect([who, answer.status], JSON.stringify(answer.body)).toEqual([who, status]);
    if (status !== 200) expect(answer.body.code).toBe(-1);
  }
});

test("drafts need the scope operate, and those that restore the right history", async () => {
  const statusOf = async (who: string, body: object) => (await as(who, "POST", "/change", body)).status;
  expect(await statusOf("reads", request)).toBe(403);
  expect(await statusOf("operates", request)).toBe(201);
  expect(await statusOf("operates", restoring)).toBe(403);
  expect(await statusOf("historian", restoring)).toBe(201);
  expect(await statusOf("boss", restoring)).toBe(201);
});

test("no key has a vote, and a plan has only what its author reaches", async () => {
  const id = await drafted();
  const planned = await as<ChangeDetail>("author", "POST", `/change/${id}/plan`, {});
  const { hash, revision } = planned.body.data;
  const vote = { revision, hash, verdict: "approve" };
  for (const [who, status] of Object.entries({ reads: 403, operates: 403, boss: 403, votes: 409 })) {
    const answer = await as(who, "POST", `/change/${id}/vote`, vote);
    expect([who, answer.status]).toEqual([who, status]);
  }
  const own = await as<ChangeDetail>("near", "POST", "/change", request);
  const refused = await as<ChangeDetail>("near", "POST", `/change/${own.body.data.id}/plan`, {});
  expect(refused.body.data).toMatchObject({ state: "draft", reason: expect.stringMatching(/r2/) });
  const pushed = { device: "r1", connection_args: { username: "u", password: "p" }, config: "x" };
  for (const who of ["author", "votes", "boss"])
    expect((await as(who, "POST", "/device/execute", pushed)).status).toBe(409);
});

test("the table of the guide has a row for each of them", () => {
  const [, table = ""] = readFileSync("docs/guides/changes.md", "utf8").split("## Who may do what");
  for (const word of ["start", "pause", "resume", "stop", "return", "cancel"])
    expect(table).toContain(`\`${word}\``);
  expect(table.split("\n").filter((line) => /\| (?:403|404|409)/.test(line)).length).toBeGreaterThanOrEqual(
    8,
  );
});
