/** Every method of a system has a case of our own making, on a device of test/drivers/napalm/devices. */
import { describe, expect, test } from "vitest";
import { systemNames } from "../../../plugins/drivers/napalm/system-names.ts";
import { systems } from "../../../plugins/drivers/napalm/systems.ts";
import { ownDevices } from "./devices/read.ts";

const devices = ownDevices();

describe.each(systemNames)("the system %s", (name) => {
  test("has a case of each of its methods, and of none that it lacks", async () => {
    const { methods } = (await systems[name]()).default;
    const calls = devices.filter(({ system }) => system === name).flatMap((device) => device.calls);
    expect([...new Set(calls.map(({ method }) => method))].sort()).toEqual([...methods].sort());
  });
});
