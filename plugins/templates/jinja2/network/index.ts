/** The filters that Ansible's users expect beside Jinja2's own, by name. */
import type { Entry } from "../filters/define.ts";
import { dataFilters } from "./data.ts";
import { hardwareFilters } from "./hwaddr.ts";
import { addressFilters } from "./ipaddr.ts";
import { setFilters } from "./sets.ts";
import { subnetFilters } from "./subnets.ts";
import { vlanFilters } from "./vlan.ts";

export const networkFilters: readonly Entry[] = [
  ...addressFilters,
  ...subnetFilters,
  ...setFilters,
  ...hardwareFilters,
  ...vlanFilters,
  ...dataFilters,
];
