/** Driver device types -> platform names of template sets, if they differ. */

const differing: ReadonlyMap<string, string> = new Map([
  // netmiko
  ["cisco_s200", "cisco_s300"],
  ["cisco_wlc", "cisco_wlc_ssh"],
  ["cisco_xe", "cisco_ios"],
  ["dell_dnos9", "dell_force10"],
  ["dell_os6", "dell_powerconnect"],
  ["dell_os9", "dell_force10"],
  ["extreme", "extreme_exos"],
  ["extreme_ers", "avaya_ers"],
  ["extreme_netiron", "brocade_netiron"],
  ["extreme_slx", "extreme_slxos"],
  ["extreme_vsp", "avaya_vsp"],
  ["h3c_comware", "hp_comware"],
  ["huawei", "huawei_vrp"],
  ["huawei_olt", "huawei_smartax"],
  ["juniper", "juniper_junos"],
  ["nokia_sros", "alcatel_sros"],
  ["ubiquiti_edge", "ubiquiti_edgeswitch"],
  ["watchguard_fireware", "watchguard_firebox"],
  // NAPALM
  ["eos", "arista_eos"],
  ["ios", "cisco_ios"],
  ["iosxr", "cisco_xr"],
  ["junos", "juniper_junos"],
  ["nxos", "cisco_nxos"],
  ["nxos_ssh", "cisco_nxos"],
]);

/** Names to try in order: the type itself, then the sets' names for it. */
export function platformNames(deviceType: string): readonly string[] {
  const plain = deviceType.toLowerCase().replace(/_(?:ssh|telnet|serial)$/, "");
  const mapped = differing.get(deviceType.toLowerCase()) ?? differing.get(plain);
  const linux = plain.endsWith("_linux") ? "linux" : undefined;
  const names = [deviceType, plain, mapped, linux].filter((name) => name !== undefined);
  return [...new Set(names)];
}
