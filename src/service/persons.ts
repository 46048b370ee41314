/** Roles and persons for commands on the machine of the service: the operator has every right. */
import { createPersonAdministration } from "../admin/persons.ts";
import { createRoleAdministration } from "../admin/roles.ts";
import { createIso } from "../api/time.ts";
import { createHolders } from "../auth/holders.ts";
import { rights } from "../auth/port.ts";
import { silentLog } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import type { Actor } from "../store/port.ts";
import { requireDatabase, withStore } from "./storage/store.ts";

/** @param make creates a database that is missing */
export async function withPersons<T>(
  config: Config,
  by: Actor,
  make: boolean,
  work: (persons: ReturnType<typeof administrationOf>, operator: ReturnType<typeof operatorOf>) => Promise<T>,
): Promise<T> {
  if (!make) requireDatabase(config);
  return withStore(config, silentLog, (store) => work(administrationOf(store, config), operatorOf(by)));
}

function administrationOf(store: Parameters<Parameters<typeof withStore>[2]>[0], { timeZone }: Config) {
  // Nodes notice within seconds.
  const tools = { store, holders: createHolders(store), iso: createIso(timeZone), forgetAll() {} };
  return { ...createRoleAdministration(tools), ...createPersonAdministration(tools) };
}

function operatorOf(by: Actor) {
  return { ...by, scope: "admin" as const, hosts: [], credentials: null, rights };
}
