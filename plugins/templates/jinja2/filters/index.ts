/** All filters and tests by name: Jinja2's and Ansible's. */
import { asList } from "../../python/index.ts";
import { addressTests } from "../network/address-tests.ts";
import { ansibleUnique, choosingFilters } from "../network/choosing.ts";
import { combiningFilters } from "../network/combine.ts";
import { dataFilters } from "../network/data.ts";
import { dataPathFilters } from "../network/data-paths.ts";
import { dateFilters } from "../network/dates.ts";
import { factFilters } from "../network/facts.ts";
import { hardwareFilters } from "../network/hwaddr.ts";
import { addressFilters } from "../network/ipaddr.ts";
import { queryFilters } from "../network/json-query.ts";
import { keyFilters } from "../network/keys.ts";
import { mergeFilters } from "../network/merge.ts";
import { pathFilters } from "../network/paths.ts";
import { regexFilters } from "../network/regex.ts";
import { setFilters } from "../network/sets.ts";
import { sizeFilters } from "../network/sizes.ts";
import { subnetFilters } from "../network/subnets.ts";
import { builtinTests } from "../network/tests.ts";
import { dressingFilters } from "../network/texts.ts";
import { vlanFilters } from "../network/vlan.ts";
import { xmlFilters } from "../network/xml.ts";
import type { Filter, FilterTable, TestTable } from "./kinds.ts";
import { numberFilters } from "./numbers.ts";
import { pickingFilters } from "./picking.ts";
import { sequenceFilters } from "./sequences.ts";
import { coreTests } from "./tests.ts";
import { textFilters } from "./text.ts";
import { webFilters } from "./web.ts";

/** Filters of Ansible collections. */
const fromCollections = [
  addressFilters,
  subnetFilters,
  setFilters,
  hardwareFilters,
  vlanFilters,
  keyFilters,
  dataPathFilters,
  factFilters,
  xmlFilters,
].flat();

const builtin = [
  regexFilters,
  dataFilters,
  mergeFilters,
  combiningFilters,
  choosingFilters,
  pathFilters,
  dressingFilters,
  sizeFilters,
  dateFilters,
  queryFilters,
].flat();

/** Adds the fully qualified names that playbooks use. */
function prefixed<T>(prefix: string, entries: readonly (readonly [string, T])[]): [string, T][] {
  return entries.map(([name, apply]) => [`${prefix}.${name}`, apply]);
}

/** Jinja2's filters come last and so win over Ansible's of the same name. */
export const allFilters: FilterTable = new Map([
  ...prefixed("ansible.utils", fromCollections),
  ...prefixed("ansible.netcommon", fromCollections),
  ...prefixed("ansible.builtin", builtin),
  ...prefixed("community.general", queryFilters),
  ...fromCollections,
  ...builtin,
  ...textFilters,
  ...numberFilters,
  ...sequenceFilters,
  ...pickingFilters,
  ...webFilters,
]);

export const allTests: TestTable = new Map([
  ...prefixed("ansible.builtin", builtinTests),
  ...prefixed("ansible.utils", addressTests),
  ...builtinTests,
  ...addressTests,
  ...coreTests,
]);

/** Filters as in Ansible: lists instead of generators, and Ansible's `unique`. */
export const ansibleFilters: FilterTable = new Map(
  [...allFilters, ...ansibleUnique].map(([name, apply]): [string, Filter] => [name, unrolled(apply)]),
);

function unrolled(apply: Filter): Filter {
  return (value, args, kwargs, context) => {
    return asList(apply(value, args, kwargs, context), context.meter);
  };
}
