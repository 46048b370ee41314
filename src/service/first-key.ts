/** The first API key: taken from the settings, or made once and told to the operator. */
import { makeApiKey } from "../auth/make-key.ts";
import type { Config } from "../config/config.ts";
import type { Actor, Store } from "../store/port.ts";

const atStart: Actor = { keyId: "start", name: "patchbay", from: null };

/** @returns the clear key when one was made: it is shown once and stored as a hash only. */
export async function ensureFirstKey(config: Config, store: Store): Promise<string | undefined> {
  const configuredKey = config.values.api_key?.reveal();
  if (configuredKey !== undefined) {
    if ((await store.keys.find(configuredKey)) === undefined)
      await addUnderFreeName(store, "configured", configuredKey);
    return undefined;
  }
  if ((await store.keys.list()).length > 0) return undefined;
  const key = makeApiKey();
  await store.keys.add({ name: "first", key, scope: "admin", hosts: [] }, atStart);
  return key;
}

/** A configured key that was changed gets a name of its own; the old one stays until it is revoked. */
async function addUnderFreeName(store: Store, base: string, key: string): Promise<void> {
  const taken = new Set((await store.keys.list()).map((key) => key.name));
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (taken.has(name)) continue;
    await store.keys.add({ name, key, scope: "admin", hosts: [] }, atStart);
    return;
  }
}
