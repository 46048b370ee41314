/** The filters that Ansible's users expect beside Jinja2's own, by name. */
import type { Entry } from "../filters/define.ts";
import { chanceFilters } from "./chance.ts";
import { choosingFilters } from "./choosing.ts";
import { combiningFilters } from "./combine.ts";
import { dataFilters } from "./data.ts";
import { pathingFilters } from "./data-paths.ts";
import { dateFilters } from "./dates.ts";
import { factFilters } from "./facts.ts";
import { hardwareFilters } from "./hwaddr.ts";
import { addressFilters } from "./ipaddr.ts";
import { keyFilters } from "./keys.ts";
import { mergeFilters } from "./merge.ts";
import { pathFilters } from "./paths.ts";
import { regexFilters } from "./regex.ts";
import { setFilters } from "./sets.ts";
import { sizeFilters } from "./sizes.ts";
import { subnetFilters } from "./subnets.ts";
import { dressingFilters } from "./texts.ts";
import { vlanFilters } from "./vlan.ts";
import { xmlFilters } from "./xml.ts";

/** What Ansible keeps in collections of its own. */
const fromCollections: readonly Entry[] = [
  ...addressFilters,
  ...subnetFilters,
  ...setFilters,
  ...hardwareFilters,
  ...vlanFilters,
  ...keyFilters,
  ...pathingFilters,
  ...factFilters,
  ...xmlFilters,
];

const builtin: readonly Entry[] = [
  ...regexFilters,
  ...dataFilters,
  ...mergeFilters,
  ...combiningFilters,
  ...choosingFilters,
  ...pathFilters,
  ...dressingFilters,
  ...sizeFilters,
  ...dateFilters,
  ...chanceFilters,
];

function prefixed(prefix: string, entries: readonly Entry[]): Entry[] {
  return entries.map(([name, body]) => [`${prefix}.${name}`, body]);
}

export const networkFilters: readonly Entry[] = [...fromCollections, ...builtin];

/** The same under the full names that playbooks use. */
export const qualifiedFilters: readonly Entry[] = [
  ...prefixed("ansible.utils", fromCollections),
  ...prefixed("ansible.netcommon", fromCollections),
  ...prefixed("ansible.builtin", builtin),
];
