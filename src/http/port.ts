/** The interface of http: its dependencies, and what the runtime's server calls. */

import type { Admin, SignIn } from "../admin/port.ts";
import type { LicenceRecord, SettingRecord } from "../api/admin/setting.ts";
import type { Authenticate } from "../auth/port.ts";
import type { DiskReserve } from "../base/files/disk-reserve.ts";
import type { Log } from "../base/log.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";
import type { ChangeFeed, Changes } from "../changes/port.ts";
import type { DetachedTasks } from "../detached/port.ts";
import type { Events } from "../events/port.ts";
import type { Files } from "../files/port.ts";
import type { History, HistoryFeed, HistoryImport } from "../history/port.ts";
import type { Remotes } from "../history/remotes/port.ts";
import type { Drift, Intents } from "../intent/port.ts";
import type { InventoryExchange } from "../inventory/exchange/port.ts";
import type { Sources } from "../inventory/exchange/sources-port.ts";
import type { Inventory } from "../inventory/port.ts";
import type { Jobs } from "../jobs/port.ts";
import type { Ledger } from "../ledger/port.ts";
import type { Admission } from "../limits/port.ts";
import type { Mcp } from "../mcp/port.ts";
import type { Metrics } from "../metrics/port.ts";
import type { Hooks, Recipes, Templates } from "../recipes/port.ts";
import type { PluginSchemas } from "../registry/plugin-schemas.ts";
import type { LineRecord } from "../rehearsal/port.ts";
import type { Schedules } from "../schedules/port.ts";
import type { Webhooks } from "../webhooks/port.ts";

export interface HttpApp {
  /** Answers every request, errors included; never rejects. */
  fetch(request: Request, connection: RequestConnection): Promise<Response>;
}

export interface HttpOptions {
  readonly jobs: Jobs;
  readonly admin: Admin;
  readonly signIn: SignIn;
  /** Origin under which browsers reach this service, if it is known. */
  readonly publicUrl?: string | undefined;
  readonly detached: DetachedTasks;
  readonly inventory: Inventory;
  readonly history: History;
  readonly historyFeed: HistoryFeed;
  readonly changeFeed: ChangeFeed;
  readonly historyImport: HistoryImport;
  readonly intents: Intents;
  readonly drift: Drift;
  readonly lineRecord: Pick<LineRecord, "page" | "add">;
  readonly ledger: Ledger;
  readonly remotes: Remotes;
  readonly inventoryExchange: InventoryExchange;
  readonly changes: Changes;
  readonly mcp: Mcp;
  readonly schedules: Schedules;
  readonly recipes: Recipes;
  readonly hooks: Hooks;
  readonly templates: Templates;
  readonly webhooks: Webhooks;
  readonly sources: Sources;
  readonly events: Events;
  readonly iso: (ms: number) => string;
  readonly files: Files;
  /** Of the data directory; undefined: free space is not checked. */
  readonly disk?: Pick<DiskReserve, "require"> | undefined;
  readonly admission: Admission;
  readonly authenticate: Authenticate;
  /** By the token of a login session. */
  readonly authenticateSession: Authenticate;
  /** By the fingerprint of a client certificate. */
  readonly authenticateCertificate: Authenticate;
  /** Called after a logout on this node, so that the session's next request is refused at once. */
  forgetSession(id: string): void;
  readonly log: Log;
  readonly apiVersion: string;
  /** Schemas of the loaded plugins, for the API description. */
  readonly pluginSchemas: () => PluginSchemas;
  /** The effective settings, secrets masked. */
  settings(): readonly SettingRecord[];
  /** Licences of all parts of the program; empty if it is not compiled. */
  licences(): Promise<readonly LicenceRecord[]>;
  readonly metrics: Pick<Metrics, "text" | "contentType" | "requestAnswered">;
  /** The library of the API page, gzip-compressed. */
  readonly pageFiles: { script(): Promise<Uint8Array>; style(): Promise<Uint8Array> };
  /** The API description and its page need no key. */
  readonly openDescription: boolean;
  /** Metrics need no key. */
  readonly openMetrics: boolean;
  /** Files of the console; loaded when a browser first requests them. */
  consoleFiles(): Promise<readonly ConsoleFile[]>;
  readonly maxBodyBytes: number;
  readonly keyInQuery: boolean;
  /** The caller's address is the last one in X-Forwarded-For; X-Forwarded-Host and -Proto give our own origin. */
  readonly behindProxy: boolean;
}

/** A file of the console as it is sent. */
export interface ConsoleFile {
  /** `/` for the page itself, else `/console/<name>-<hash>.<ext>`. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same, gzip-compressed. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

/** What the runtime knows about a request besides the request itself. */
export interface RequestConnection {
  readonly from: string | null;
  /** The remaining time budget, if the request has already waited. */
  readonly budget?: TimeBudget;
  /** TLS is terminated in front of us, so the request's URL does not show it. */
  readonly secure?: boolean;
  /** Fingerprint of the caller's certificate, issued by a trusted CA. */
  readonly certificate?: string | undefined;
  /** Exempts the connection from its idle timeout while the answer is prepared. */
  extendTimeout(): void;
  /** Restores the idle timeout while a body arrives, and once the answer is ready: callers may not read it. */
  restoreTimeout(): void;
}
