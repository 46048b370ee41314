/** The interface of http: what it is made of, and what the server of the runtime asks of it. */
import type { Log } from "../base/log.ts";
import type { Patience } from "../base/patience.ts";
import type { Events } from "../events/port.ts";
import type { Files } from "../files/port.ts";
import type { InventoryExchange } from "../inventory/exchange-port.ts";
import type { Inventory } from "../inventory/port.ts";
import type { Sources } from "../inventory/sources-port.ts";
import type { Jobs } from "../jobs/port.ts";
import type { Metrics } from "../metrics/port.ts";
import type { LicenceRecord, SettingRecord } from "../model/setting.ts";
import type { Admission } from "../queue/port.ts";
import type { PluginSchemas } from "../registry/plugin-schemas.ts";
import type { Schedules } from "../schedules/port.ts";
import type { Authenticate } from "./auth.ts";

export interface HttpApp {
  /** Answers whatever comes, errors included: it never rejects. */
  fetch(request: Request, connection: RequestConnection): Promise<Response>;
}

export interface HttpOptions {
  readonly jobs: Jobs;
  readonly inventory: Inventory;
  readonly inventoryExchange: InventoryExchange;
  readonly schedules: Schedules;
  readonly sources: Sources;
  readonly events: Events;
  readonly iso: (ms: number) => string;
  readonly files: Files;
  readonly admission: Admission;
  readonly authenticate: Authenticate;
  /** From the token of a login session. */
  readonly authenticateSession: Authenticate;
  /** From the fingerprint of a certificate that was shown. */
  readonly authenticateCertificate: Authenticate;
  /** It was ended here: the next request of it is refused at once. */
  forgetSession(id: string): void;
  readonly log: Log;
  readonly apiVersion: string;
  /** What the plugins that are loaded take, for the description of the API. */
  readonly pluginSchemas: () => PluginSchemas;
  /** The settings in force, secrets masked. */
  settings(): readonly SettingRecord[];
  /** Of all parts of the program; none where it is not compiled. */
  licences(): Promise<readonly LicenceRecord[]>;
  readonly metrics: Pick<Metrics, "text" | "contentType" | "requestAnswered">;
  /** The library of the page that shows the API, packed by gzip. */
  readonly pageFiles: { script(): Promise<Uint8Array>; style(): Promise<Uint8Array> };
  /** The description of the API is told without a key, and shown. */
  readonly openDescription: boolean;
  /** Metrics are told without a key. */
  readonly openMetrics: boolean;
  /** The files of the console; loaded when a browser first asks. */
  consoleFiles(): Promise<readonly ConsoleFile[]>;
  readonly maxBodyBytes: number;
  readonly keyInQuery: boolean;
  /** The last address of X-Forwarded-For is the caller's; X-Forwarded-Host and -Proto tell our own origin. */
  readonly behindProxy: boolean;
}

/** One file of the console as it is sent. */
export interface ConsoleFile {
  /** `/` for the page itself, else `/console/<name>-<hash>.<ext>`. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same, packed with gzip. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

/** What the runtime knows of a request besides the request. */
export interface RequestConnection {
  readonly from: string | null;
  /** What is left of it where the request has waited already. */
  readonly patience?: Patience;
  /** TLS has ended before: the request's own URL does not tell. */
  readonly secure?: boolean;
  /** Fingerprint of the certificate that the caller showed, which is one of an authority that counts. */
  readonly certificate?: string | undefined;
  /** Lets a slow answer outlive the idle limit of the connection. */
  extendTimeout(): void;
  /** The answer is there: whoever does not read it is cut off again. */
  restoreTimeout(): void;
}
