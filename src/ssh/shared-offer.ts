/** What is offered is written out once for all logins that offer the same: ssh2 does it for each client, and keeps it with it. */
import type { Client, ConnectConfig } from "./ssh2.ts";

type Algorithms = NonNullable<ConnectConfig["algorithms"]>;

/** Profiles, each with and without compression and with the known types of key first. */
const offers = new Map<string, object>();
const keptAtMost = 64;

/** Parts of ssh2 that are not public. */
interface Protocol {
  _offer?: object;
}

/** As `client.connect`, with lists of algorithms that are shared: seven kilobytes and 40 objects less in each session. */
export function connectWithOffer(client: Client, config: ConnectConfig, algorithms: Algorithms): void {
  const key = JSON.stringify(algorithms);
  client.connect({ ...config, algorithms });
  const { _protocol: protocol } = client as { _protocol?: Protocol };
  if (typeof protocol?._offer !== "object") return;
  const kept = offers.get(key);
  // It is sent when the server's first line has come, and nothing changes it.
  if (kept !== undefined) protocol._offer = kept;
  else if (offers.size < keptAtMost) offers.set(key, protocol._offer);
}
