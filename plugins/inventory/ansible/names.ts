/** Names of Ansible: its network systems and connection plugins, and the platforms and drivers that they mean. */
import { keyNamed } from "../shared/fields.ts";

const platforms: Readonly<Record<string, string>> = {
  aireos: "cisco_wlc",
  aoscx: "aruba_aoscx",
  asa: "cisco_asa",
  ce: "huawei_vrp",
  cloudengine: "huawei_vrp",
  comware: "hp_comware",
  dellos10: "dell_os10",
  dellos9: "dell_os9",
  eos: "arista_eos",
  exos: "extreme_exos",
  fortios: "fortinet",
  ios: "cisco_ios",
  iosxr: "cisco_xr",
  junos: "juniper_junos",
  nxos: "cisco_nxos",
  os10: "dell_os10",
  os9: "dell_os9",
  panos: "paloalto_panos",
  routeros: "mikrotik_routeros",
  slxos: "extreme_slx",
  sros: "nokia_sros",
  voss: "extreme_vsp",
  vyos: "vyos",
};

const ofAnsible: Readonly<Record<string, string>> = {
  network_cli: "netmiko",
  "ansible.netcommon.network_cli": "netmiko",
  "ansible.netcommon.libssh": "netmiko",
  netconf: "napalm",
  "ansible.netcommon.netconf": "napalm",
  paramiko: "paramiko",
  paramiko_ssh: "paramiko",
  smart: "paramiko",
  ssh: "paramiko",
};

const toAnsible: Readonly<Record<string, string>> = {
  napalm: "ansible.netcommon.netconf",
  netmiko: "ansible.netcommon.network_cli",
  paramiko: "ssh",
  pyeapi: "ansible.netcommon.httpapi",
};

/** @param system value of `ansible_network_os`, which decides what an HTTP connection means. */
export function driverOfAnsible(connection: string, system: string): string | undefined {
  const plugin = connection.toLowerCase();
  if (/(?:^|\.)httpapi$/.test(plugin) && /eos$/.test(system)) return "pyeapi";
  return Object.hasOwn(ofAnsible, plugin) ? ofAnsible[plugin] : undefined;
}

export function ansibleConnection(driver: string | undefined): string | undefined {
  return driver !== undefined && Object.hasOwn(toAnsible, driver) ? toAnsible[driver] : undefined;
}

/** The last part of a name such as `cisco.ios.ios` decides; unknown names are kept. */
export function platformOf(system: string): string {
  const key = (system.split(".").at(-1) ?? system).toLowerCase();
  return Object.hasOwn(platforms, key) ? (platforms[key] ?? system) : system;
}

export function systemOf(platform: string): string {
  return keyNamed(platforms, platform);
}
