/** Assembles administration. */
import type { Holders } from "../auth/holders.ts";
import type { Log } from "../base/log.ts";
import type { PluginSettings } from "../base/plugin-settings.ts";
import type { Inventory } from "../inventory/port.ts";
import type { QueueListener } from "../jobs/port.ts";
import type { Admission } from "../limits/port.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../store/port.ts";
import { createAuditQuery } from "./audit.ts";
import { createBreakGlass } from "./break-glass.ts";
import { createCredentialAdministration } from "./credentials.ts";
import { createHostKeyAdministration } from "./host-keys.ts";
import { createKeyAdministration } from "./keys.ts";
import { createLoginSessions } from "./login-sessions.ts";
import { createMachineLogins } from "./machine-logins.ts";
import { createOwnKeys } from "./own-keys.ts";
import { createPersonAdministration } from "./persons.ts";
import { createPluginList } from "./plugin-list.ts";
import type { Admin } from "./port.ts";
import { createRoleAdministration } from "./roles.ts";
import { createStatistics } from "./statistics.ts";
import { createWorkerQueries, type WorkerTools } from "./workers.ts";

export interface AdminOptions extends Pick<WorkerTools, "node"> {
  readonly store: Store;
  readonly holders: Holders;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly plugins: Registry;
  /** For the list of plugins. */
  readonly pluginSettings?: PluginSettings;
  readonly admission: Admission;
  readonly iso: (ms: number) => string;
  readonly log: Log;
  /** A use of the key for emergencies was noted on this node. */
  onBreakGlass(): void;
  /** The longest life of a key that a person makes, in days. */
  readonly ownKeyDays: number;
  /** Whether people may begin a session with a key; default: yes. */
  readonly keyLogin?: boolean;
  /** Knows and stops the workers of this node. */
  readonly scheduler: QueueListener;
  /** What keys and persons may do has changed: this node looks them up anew. */
  forgetAll(): void;
}

export function createAdmin(options: AdminOptions): Admin {
  const { store, scheduler } = options;
  const tools = { ...options, ...scheduler, now: store.clock.wall };
  const ownKeys = createOwnKeys(tools);
  return {
    ...createWorkerQueries(tools),
    ...createStatistics(tools),
    ...createPluginList(options),
    ...createKeyAdministration(tools),
    ...createPersonAdministration(tools),
    ...createRoleAdministration(tools),
    ...ownKeys,
    noteBreakGlass: createBreakGlass({ ...options, onUsed: options.onBreakGlass }),
    ...createMachineLogins({ ...tools, keyDays: ownKeys.usualDays, addKeyFor: ownKeys.addKeyFor }),
    ...createLoginSessions(tools),
    ...createCredentialAdministration(tools),
    ...createHostKeyAdministration(tools),
    ...createAuditQuery(tools),
  };
}
