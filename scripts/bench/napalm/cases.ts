/**
 * The bench's device for each system: recorded responses of one real device to `get_facts` and
 * `get_interfaces`.
 */
import { type ReplayCase, replayCaseOf } from "../../testbed/replay.ts";

/** By system: recorded cases from the same device; earlier cases win. */
const parts: Readonly<Record<string, readonly string[]>> = {
  ios: ["ios/get_facts/empty_show_hosts", "ios/get_interfaces/alternate"],
  eos: ["eos/get_interfaces_counters/normal", "eos/get_environment/normal"],
  nxos: ["nxos/get_facts/normal.reduced", "nxos/get_interfaces/normal.reduced"],
  nxos_ssh: ["nxos_ssh/get_facts/normal", "nxos_ssh/get_interfaces/normal"],
  junos: ["junos/get_facts/normal.reduced", "junos/get_interfaces/normal.reduced"],
  iosxr: ["iosxr/get_facts/normal"],
  iosxr_netconf: ["iosxr_netconf/get_facts/ncs540", "iosxr_netconf/get_interfaces/normal"],
};

/** Responses that no recorded case of eos has. */
const more: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  eos: { "show_hostname.json": '{"hostname": "sw1", "fqdn": "sw1.example.net"}' },
};

export const systems = Object.keys(parts);
export const getters = ["get_facts", "get_interfaces"] as const;

export function caseOf(system: string): ReplayCase {
  const [first, ...rest] = (parts[system] ?? []).map(replayCaseOf);
  if (first === undefined) throw new Error(`no cases for ${system}`);
  const all = [...rest].reverse().concat(first);
  return {
    ...first,
    id: `bench/${system}`,
    calls: [...first.calls, ...rest.flatMap(({ calls }) => calls)],
    files: Object.assign({}, ...all.map(({ files }) => files), more[system]),
  };
}

/** NAPALM's connection arguments for a device. */
export function connectionOf(system: string, host: string, port: number): object {
  return {
    device_type: system,
    hostname: host,
    username: "admin",
    password: "admin",
    timeout: 120,
    optional_args: { port, secret: "enable" },
  };
}
