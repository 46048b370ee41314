/** Maps the platform names of other tools to Netmiko's, which the drivers use. */

const ansible: Readonly<Record<string, string>> = {
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

const oxidized: Readonly<Record<string, string>> = {
  aireos: "cisco_wlc",
  aoscx: "aruba_aoscx",
  arubainstant: "aruba_os",
  asa: "cisco_asa",
  asyncos: "generic",
  ciscosmb: "cisco_s300",
  comware: "hp_comware",
  dellx: "dell_powerconnect",
  edgeos: "ubiquiti_edgerouter",
  edgeswitch: "ubiquiti_edgeswitch",
  eos: "arista_eos",
  fortios: "fortinet",
  ios: "cisco_ios",
  iosxe: "cisco_xe",
  iosxr: "cisco_xr",
  ironware: "brocade_fastiron",
  junos: "juniper_junos",
  nxos: "cisco_nxos",
  os10: "dell_os10",
  panos: "paloalto_panos",
  powerconnect: "dell_powerconnect",
  procurve: "hp_procurve",
  routeros: "mikrotik_routeros",
  screenos: "juniper_screenos",
  slxos: "extreme_slx",
  sros: "nokia_sros",
  vrp: "huawei_vrp",
  vyos: "vyos",
  vyatta: "vyatta_vyos",
  xos: "extreme_exos",
};

const netpulse: Readonly<Record<string, string>> = {
  arista: "arista_eos",
  cisco: "cisco_ios",
  fortinet: "fortinet",
  h3c: "hp_comware",
  huawei: "huawei",
};

/** NAPALM and Nornir names, which are valid names of the driver napalm as well. */
const short: Readonly<Record<string, string>> = {
  eos: "arista_eos",
  ios: "cisco_ios",
  iosxr: "cisco_xr",
  junos: "juniper_junos",
  nxos: "cisco_nxos",
  nxos_ssh: "cisco_nxos",
};

const tables = { ansible, oxidized, netpulse, short };

/** Unknown names are kept. */
export function platformOf(tool: keyof typeof tables, name: string): string {
  const last = tool === "ansible" ? (name.split(".").at(-1) ?? name) : name;
  const table = tables[tool];
  const key = last.toLowerCase();
  return Object.hasOwn(table, key) ? (table[key] ?? name) : name;
}

/** The inverse, for exports; a name unknown to the tool is kept. */
export function nameOfPlatform(tool: keyof typeof tables, platform: string): string {
  return Object.entries(tables[tool]).find(([, name]) => name === platform)?.[0] ?? platform;
}
