/**
 * Which credentials a change of the inventory gives away: whoever moves a device sends the credential of that device
 * to another address, and whoever sets a credential has others' jobs log in with it.
 */
import { isDeepStrictEqual } from "node:util";
import type { OwnDevice, OwnGroup } from "../../api/inventory/inventory.ts";
import { type CredentialRights, requireCredential } from "../../auth/credentials.ts";
import type { NamedCredential } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { isRecord } from "../../base/json/members.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { EffectiveDevice, EffectiveGroup } from "../port.ts";
import { effectiveDevice, effectiveGroups } from "../snapshot/effective.ts";
import type { Entry, State } from "../snapshot/state.ts";

/** The credential that a reference names. @throws ServiceError Validation: the reference is not valid */
export type NameCredential = (reference: Readonly<Record<string, unknown>>) => Promise<NamedCredential>;

/** Entries as they will be, by key; undefined: removed. */
export interface Overlay {
  readonly devices: ReadonlyMap<string, OwnDevice | undefined>;
  readonly groups: ReadonlyMap<string, OwnGroup | undefined>;
}

/** @throws ServiceError Forbidden: the change touches a credential that the key may not use. */
export async function requireCredentialsOf(
  state: State,
  { devices, groups }: Overlay,
  key: CredentialRights,
  nameOf: NameCredential,
): Promise<void> {
  // A key without a list of its own that may write the inventory may use all credentials.
  if (key.credentials === null || key.credentials === undefined) return;
  const after = { devices: withWrites(state.devices, devices), groups: withWrites(state.groups, groups) };
  const [oldGroups, newGroups] = [effectiveGroups(state), effectiveGroups(after)];
  for (const [name, group] of newGroups)
    if (changesLogin(oldGroups.get(name), group))
      await requireBoth(`group ${group.name}`, oldGroups.get(name), group);
  for (const [name, entry] of after.devices) {
    const waits = giveWay();
    if (waits !== undefined) await waits;
    const former = state.devices.get(name);
    const before = former && effectiveDevice(former, oldGroups);
    const device = effectiveDevice(entry, newGroups);
    if (changesLogin(before, device)) await requireBoth(`device ${device.name}`, before, device);
  }

  async function requireBoth(
    what: string,
    before: EffectiveDevice | EffectiveGroup | undefined,
    now: EffectiveDevice | EffectiveGroup,
  ): Promise<void> {
    for (const reference of [before?.credential, now.credential]) {
      if (!isRecord(reference)) continue;
      try {
        requireCredential(key, await nameOf(reference));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const text = `The ${what} logs in with it, so this change is not made. Nothing was changed.`;
        throw new ServiceError("Forbidden", `${error.message} ${text}`, error.detail);
      }
    }
  }
}

function changesLogin(
  before: EffectiveDevice | EffectiveGroup | undefined,
  now: EffectiveDevice | EffectiveGroup,
): boolean {
  return before !== now && !isDeepStrictEqual(before && loginOf(before), loginOf(now));
}

/** What decides where a credential is sent, and how. */
function loginOf(entry: EffectiveDevice | EffectiveGroup) {
  const host = "host" in entry ? entry.host : null;
  const { port, platform, driver, connection, credential } = entry;
  return { host, port, platform, driver, connection, credential };
}

function withWrites<T extends OwnDevice | OwnGroup>(
  before: ReadonlyMap<string, Entry<T>>,
  over: ReadonlyMap<string, T | undefined>,
): ReadonlyMap<string, Entry<T>> {
  const after = new Map(before);
  for (const [key, own] of over) {
    const former = before.get(key);
    if (own === undefined) after.delete(key);
    else if (former === undefined)
      after.set(key, { key, hostKey: "", revision: 0, changedAt: 0, source: null, length: 0, own });
    else if (former.own !== own) after.set(key, { ...former, own });
  }
  return after;
}
