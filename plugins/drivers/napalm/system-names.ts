/** Registry of the systems: the facts needed before one is loaded. */
import { nearNames } from "patchbay/plugin";
import type { OptionalArgs } from "./optional-args.ts";

interface SystemFacts {
  /** NAPALM's long names, and Netmiko's names for the same system. */
  readonly aliases: readonly string[];
  /** The transport's default port. */
  port(optional: OptionalArgs): number;
  /** Whether the transport is HTTP, which does not support jump hosts; default: never. */
  http?(optional: OptionalArgs): boolean;
}

const systemFacts = {
  eos: {
    aliases: ["arista_eos", "arista"],
    port: ({ transport }) => (transport === "ssh" ? 22 : transport === "http" ? 80 : 443),
    http: ({ transport }) => transport !== "ssh",
  },
  ios: {
    aliases: ["cisco_ios", "cisco_xe", "cisco_iosxe"],
    port: ({ transport }) => (transport === "telnet" ? 23 : 22),
  },
  junos: { aliases: ["juniper_junos", "juniper"], port: () => 22 },
  nxos: {
    aliases: ["nxapi"],
    port: ({ transport, nxos_protocol }) => ((transport ?? nxos_protocol) === "http" ? 80 : 443),
    http: () => true,
  },
  nxos_ssh: {
    aliases: ["cisco_nxos", "cisco_nxos_ssh"],
    port: ({ transport }) => (transport === "telnet" ? 23 : 22),
  },
  iosxr: {
    aliases: ["cisco_iosxr", "cisco_ios_xr", "cisco_xr", "ios_xr"],
    port: () => 22,
  },
  iosxr_netconf: { aliases: ["cisco_xr_netconf"], port: () => 830 },
} satisfies Readonly<Record<string, SystemFacts>>;

export type SystemName = keyof typeof systemFacts;

export const systemNames = Object.keys(systemFacts) as SystemName[];

const byName = new Map<string, SystemName>(
  systemNames.flatMap((name) =>
    [name, ...systemFacts[name].aliases].flatMap((alias): [string, SystemName][] => [
      [alias, name],
      [`napalm_${alias}`, name],
    ]),
  ),
);

export function systemNamed(deviceType: string): SystemName | undefined {
  return byName.get(deviceType.toLowerCase().replaceAll("-", "_"));
}

export const aliasesOf = (system: SystemName): readonly string[] => systemFacts[system].aliases;

export function portOf(system: SystemName, optional: OptionalArgs): number {
  return systemFacts[system].port(optional);
}

export function isHttp(system: SystemName, optional: OptionalArgs): boolean {
  const facts: SystemFacts = systemFacts[system];
  return facts.http?.(optional) ?? false;
}

export function unknownSystem(deviceType: string): string {
  const near = nearNames(deviceType, byName.keys(), 3);
  const suggestion = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : "";
  return `There is no device_type "${deviceType}" of napalm.${suggestion} Known: ${systemNames.join(", ")}.`;
}
