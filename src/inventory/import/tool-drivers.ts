/** Maps the connection types of other tools to drivers. */

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

/** The only driver of the NetPulse CLI. */
export const netpulseDriver = "netmiko";

/** @param system value of `ansible_network_os`, which decides what an HTTP connection means. */
export function driverOfAnsible(connection: string, system: string): string | undefined {
  const plugin = connection.toLowerCase();
  if (/(?:^|\.)httpapi$/.test(plugin) && /eos$/.test(system)) return "pyeapi";
  return Object.hasOwn(ofAnsible, plugin) ? ofAnsible[plugin] : undefined;
}

export function ansibleConnection(driver: string | undefined): string | undefined {
  return driver !== undefined && Object.hasOwn(toAnsible, driver) ? toAnsible[driver] : undefined;
}
