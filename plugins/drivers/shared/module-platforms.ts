/** Beginnings of names of YANG modules, and the platform that has them. */
const platforms: readonly (readonly [string, string])[] = [
  ["Cisco-IOS-XE-native", "cisco_xe"],
  ["Cisco-IOS-XR-", "cisco_xr"],
  ["Cisco-NX-OS-device", "cisco_nxos"],
  ["arista-", "arista_eos"],
  ["junos-", "juniper_junos"],
  ["nokia-", "nokia_sros"],
  ["srl_nokia-", "nokia_srl"],
  ["huawei-", "huawei_vrp"],
];

/** @param modules names, of which some devices give the whole URN */
export function platformOfModels(modules: readonly string[]): string | undefined {
  const names = modules.map((name) => name.slice(name.lastIndexOf(":") + 1));
  return platforms.find(([begin]) => names.some((name) => name.startsWith(begin)))?.[1];
}
