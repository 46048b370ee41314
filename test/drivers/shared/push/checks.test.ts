import * as v from "valibot";
import { expect, test } from "vitest";
import napalm from "../../../../plugins/drivers/napalm/plugin.ts";
import netmiko from "../../../../plugins/drivers/netmiko/plugin.ts";
import pyeapi from "../../../../plugins/drivers/pyeapi/plugin.ts";
import type { DriverPlugin } from "../../../../src/plugin/index.ts";

const drivers: [string, DriverPlugin, string[]][] = [
  ["netmiko", netmiko, ["dry_run", "commit", "confirm"]],
  ["pyeapi", pyeapi, ["dry_run", "confirm"]],
  ["napalm", napalm, ["dry_run", "revert_in", "confirm"]],
];
const values: Record<string, unknown> = { dry_run: true, commit: false, confirm: true, revert_in: 60 };

/** As in the service: uses the values from the driver's schema. */
function faults({ args, excludesChecks }: DriverPlugin, given: object): unknown {
  const checked = args.configure?.["~standard"].validate(given);
  const { value } = v.parse(v.looseObject({ value: v.unknown() }), checked);
  return excludesChecks?.(value).map(({ path }) => path);
}

test.each(drivers)(
  "%s: arguments that prevent or already confirm the push exclude checks",
  (_, driver, names) => {
    expect(faults(driver, {})).toEqual([]);
    for (const name of names)
      expect(faults(driver, { [name]: values[name] })).toEqual([`driver_args.${name}`]);
  },
);
