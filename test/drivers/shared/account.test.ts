import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { connection as napalm } from "../../../plugins/drivers/napalm/connection.ts";
import { connection as netmiko } from "../../../plugins/drivers/netmiko/connection.ts";
import { connection as paramiko } from "../../../plugins/drivers/paramiko/connection.ts";
import { connection as pyeapi } from "../../../plugins/drivers/pyeapi/connection.ts";

const drivers: readonly [string, v.GenericSchema, object][] = [
  ["napalm", napalm, { device_type: "eos" }],
  ["netmiko", netmiko, { device_type: "cisco_ios" }],
  ["paramiko", paramiko, {}],
  ["pyeapi", pyeapi, {}],
];
const whole = { host: "10.0.0.1", username: "ops", password: "x" };

describe.each(drivers)("connection_args of %s", (_name, schema, more) => {
  const faults = (given: object) =>
    v
      .safeParse(schema, { ...more, ...whole, ...given })
      .issues?.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);

  test("accept host or hostname, or both if they are equal", () => {
    expect(faults({})).toBeUndefined();
    expect(faults({ host: undefined, hostname: "10.0.0.1" })).toBeUndefined();
    expect(faults({ host: "R1.lab", hostname: "r1.lab" })).toBeUndefined();
  });

  test("reject a missing host, two different hosts and a missing user name", () => {
    expect(faults({ host: undefined })).toEqual([expect.stringMatching(/^host(name)?: is missing$/)]);
    expect(faults({ hostname: "10.0.0.2" })).toEqual(["hostname: differs from host"]);
    expect(faults({ username: undefined })).toEqual(["username: is missing"]);
  });

  test("accept missing fields that a credential supplies", () => {
    const credential = { name: "env", ref: "core" };
    expect(faults({ username: undefined, password: undefined, credential })).toBeUndefined();
  });
});
