/** What a driver is opened with: of its kits those that a test gives, the others fail if they are used. */
import { silentLog } from "../../src/base/log.ts";
import type { DriverTools } from "../../src/plugin/index.ts";

const notUsed = () => Promise.reject(new Error("not used"));

const none: Omit<DriverTools<unknown, unknown>, "connection"> = {
  log: silentLog,
  hide() {},
  settings: {},
  ssh: { connect: notUsed },
  netconf: { open: notUsed },
  udp: { open: notUsed },
  grpc: { connect: notUsed },
  cli: { open: notUsed },
  http: { request: notUsed, session: notUsed },
  files: { localFile: notUsed, localFolder: notUsed, keyFile: notUsed, discoverKeys: async () => [] },
  platform: () => {
    throw new Error("not used");
  },
  platforms: () => [],
};

/** Any path is that of a file with a key. */
export const keysAnywhere: typeof none.files = { ...none.files, keyFile: async (path) => path };

export const toolsWith = <Connection>(
  connection: Connection,
  kits: Partial<typeof none>,
): DriverTools<Connection, unknown> => ({ ...none, ...kits, connection });
