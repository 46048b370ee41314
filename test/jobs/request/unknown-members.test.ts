/** Members that nothing reads are told; a misspelt one that would make another request of it is refused. */
import { describe, expect, test } from "vitest";
import basic from "../../../plugins/webhooks/basic/plugin.ts";
import { unknownMembers } from "../../../src/jobs/request/unknown-members.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { admin, bodyOf } from "../../support/requests.ts";
import { useNode } from "../support.ts";

const node = useNode();
const connection = { device_type: "cisco_ios", host: "192.0.2.1", username: "u", password: "canary-22" };
const push = { driver: "netmiko", connection_args: connection, config: ["interface Loopback1"] };
const query = { driver: "netmiko", connection_args: connection, command: "show version" };

async function issuesOf(body: object, bulk = false) {
  const { jobs } = node();
  const done = bulk ? jobs.bulk(bodyOf(body), admin) : jobs.submit(bodyOf(body), admin);
  const error = await done.then(
    () => undefined,
    (reason) => reason,
  );
  return error?.detail?.issues;
}

const misspelt: [string, object, string, RegExp][] = [
  ["checks", { check: { after: [] } }, "check", /`checks` is probably meant/],
  ["checks, two letters", { chekcs: {} }, "chekcs", /`checks`/],
  ["driver_args", { driver_arg: { dry_run: true } }, "driver_arg", /`driver_args`/],
  ["driver_args in another spelling", { driverArgs: { dry_run: true } }, "driverArgs", /`driver_args`/],
  ["options", { option: { checks: {} } }, "option", /`options`/],
  ["dry_run at the top", { dry_run: true }, "dry_run", /belongs in `driver_args`/],
  ["dry_run misspelt", { driver_args: { dryrun: true } }, "driver_args.dryrun", /`dry_run`/],
  ["dry_run in options", { options: { dry_run: true } }, "options.dry_run", /belongs in `driver_args`/],
  ["checks in driver_args", { driver_args: { checks: {} } }, "driver_args.checks", /beside `config`/],
  ["commit_confirm", { driver_args: { commit_confirm: 5 } }, "driver_args.commit_confirm", /`confirm`/],
  ["not_before", { options: { not_befor: "2030-01-01T00:00:00Z" } }, "options.not_befor", /`not_before`/],
  ["devices for one device", { devices: [{}] }, "devices", /POST \/device\/bulk/],
  ["select for one device", { selct: "all" }, "selct", /`select`/],
  [
    "driver_args in the connection",
    { connection_args: { ...connection, driver_args: {} } },
    "connection_args.driver_args",
    /beside `config`/,
  ],
];

describe("a member that decides what is done", () => {
  test.each(misspelt)("is refused where it has no effect: %s", async (_, more, path, message) => {
    for (const request of [push, query]) {
      const issues = await issuesOf({ ...request, ...more });
      expect(issues).toEqual([{ path, message: expect.stringMatching(message) }]);
      expect(JSON.stringify(issues)).not.toContain("canary");
    }
  });

  test("is refused in a bulk, and in one of its devices", async () => {
    expect(await issuesOf({ ...push, devices: [{}], check: {} }, true)).toMatchObject([{ path: "check" }]);
    expect(await issuesOf({ ...push, devices: [{}], device: "r1" }, true)).toMatchObject([
      { path: "device", message: expect.stringContaining("`devices`") },
    ]);
    const own = [{ host: "192.0.2.2", driver_args: { dry_run: true } }, { host: "192.0.2.3" }];
    const answer = await node().jobs.bulk(bodyOf({ ...push, devices: own }), admin);
    expect(answer.failed_jobs).toMatchObject([
      { host: "192.0.2.2", reason: expect.stringMatching(/driver_args: .*beside `config`/) },
    ]);
    expect(answer.succeeded).toHaveLength(1);
  });

  test("is refused for a driver that has no dry run", async () => {
    const { device_type: _type, ...server } = connection;
    const body = {
      driver: "paramiko",
      connection_args: server,
      config: ["touch x"],
      driver_args: { dry_run: true },
    };
    expect(await issuesOf(body)).toEqual([
      { path: "driver_args.dry_run", message: "the driver paramiko has no dry run: it would push" },
    ]);
  });

  test("may be null, as some clients write what they do not use", async () => {
    expect(
      await issuesOf({ ...push, dry_run: null, check: null, select: null, devices: null }),
    ).toBeUndefined();
  });

  test("is refused in what a schedule stores", () => {
    const request = { ...push, connection_args: { host: "192.0.2.1" }, devices: [{}], check: {} };
    return expect(async () => node().jobs.checkKept(request, admin)).rejects.toMatchObject({
      kind: "Validation",
    });
  });
});

test("any other unknown member is accepted and told with the nearest known name", async () => {
  const ticket = await node().jobs.submit(
    bodyOf({
      ...query,
      tikket: "CHG-1",
      options: {
        lable: "night",
        zzz: 1,
        parsing: { name: "textfsm", templat: "x", template: "Value A (.)\n\nStart\n" },
      },
      driver_args: { sav: true },
    }),
    admin,
  );
  expect(ticket.warnings).toEqual([
    "tikket is not known and was ignored; did you mean ticket?",
    "options.lable is not known and was ignored; did you mean label?",
    "options.zzz is not known and was ignored",
    "options.parsing.templat is not known and was ignored; did you mean template?",
    "driver_args.sav is not known to the driver netmiko and was ignored; did you mean save?",
  ]);
});

test("so are those of a webhook", () => {
  const registry = createRegistry();
  registry.add(basic, "builtin");
  const request = { options: { webhook: { url: "http://192.0.2.9/", event: [] } } };
  expect(unknownMembers(request, "execute", registry)).toEqual([
    "options.webhook.event is not known and was ignored; did you mean events?",
  ]);
});
