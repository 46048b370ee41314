/**
 * Checks where HTTP may connect to: a name is resolved once, and all its addresses are checked before one is dialled.
 */
import { lookup } from "node:dns/promises";
import type { Reach } from "../../auth/port.ts";
import { reachOf, requireAddresses } from "../../auth/reach.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import { type AddressPolicy, addressAllowed } from "../../base/net/address-policy.ts";
import type { Address, DialRule, Lookup } from "../../base/net/dial.ts";

/** @throws ServiceError Forbidden, HostUnreachable */
export type CheckAddress = (hostname: string) => Promise<Address>;

const lookUp: Lookup = (name) => lookup(name, { all: true });
const everywhere = reachOf([]);

export interface UrlRules {
  readonly policy: AddressPolicy;
  /** What the current caller may reach. */
  reach?(): Reach;
  readonly find?: Lookup;
}

/** For URLs from a caller or from plugin settings: the operator's URL policy decides. */
export function checkUrl({ policy, reach = () => everywhere, find = lookUp }: UrlRules): CheckAddress {
  return async (hostname) => {
    const { host, found, first } = await resolved(hostname, find);
    if (!found.every(({ address }) => addressAllowed(policy, host, address)))
      throw new ServiceError(
        "Forbidden",
        `The address of ${host} is not allowed (PATCHBAY_URL_ALLOW, PATCHBAY_URL_DENY).`,
        { outcome: "none" },
      );
    refusing(() =>
      requireAddresses(
        reach(),
        host,
        found.map(({ address }) => address),
      ),
    );
    return first;
  };
}

/** For the device of a job the key's reach decides, as for SSH; other hosts go through `others`. */
export function checkDevice(
  device: string,
  rule: DialRule,
  checkOther: CheckAddress,
  find: Lookup = lookUp,
): CheckAddress {
  return async (hostname) => {
    if (bare(hostname).toLowerCase() !== bare(device).toLowerCase()) return checkOther(hostname);
    const { host, found, first } = await resolved(hostname, find);
    if (rule.limited)
      refusing(() =>
        rule.addresses(
          host,
          found.map(({ address }) => address),
        ),
      );
    return first;
  };
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

async function resolved(hostname: string, find: Lookup) {
  const host = bare(hostname);
  const addresses = await find(host).catch(() => []);
  const first = addresses[0];
  if (first) return { host, found: addresses, first };
  throw new ServiceError("HostUnreachable", `The name ${host} cannot be resolved.`, { outcome: "none" });
}

/** A refusal here happens before anything was sent. */
function refusing(check: () => void): void {
  try {
    check();
  } catch (error) {
    const { kind, message, detail } = toErrorData(error);
    throw new ServiceError(kind, message, { ...detail, outcome: "none" }, { cause: error });
  }
}
