/** Oxidized's router.db: one device per line, with a configurable delimiter and column list; exports have the enabled ones. */
import {
  type ExportedInventory,
  type InventoryEntry,
  type InventoryFormat,
  type InventoryFormatOptions,
  invalid,
  inventoryTextLimits,
  Notes,
  type ReadInventory,
  type ResolvedDevice,
  RowIssues,
} from "patchbay/plugin";
import { type Fields, keyNamed, named } from "../shared/fields.ts";

export default (): InventoryFormat => ({ read: readRouterDb, write: lines });

/** Its models, and Netmiko's names. */
const platforms: Readonly<Record<string, string>> = {
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

const fieldNames = ["name", "ip", "model", "group", "username", "password", "port", "enable"] as const;
type OxidizedField = (typeof fieldNames)[number] | "-";

const readMap = "name,model,username,password,enable";

/** @throws ServiceError Validation */
function readRouterDb(
  text: string,
  { delimiter = ":", map = readMap }: InventoryFormatOptions,
): ReadInventory {
  const columns = columnsOf(map);
  const problems = new RowIssues();
  const notes = new Notes();
  const devices: InventoryEntry[] = [];
  const groups = new Map<string, InventoryEntry>();
  let line = 0;
  for (const [written] of text.matchAll(/^.*$/gm)) {
    line++;
    const at = `line ${line}`;
    const bare = written.replace(/^\ufeff/, "").trim();
    if (bare === "" || bare.startsWith("#")) continue;
    const cells = bare.length > inventoryTextLimits.lineChars ? [] : bare.split(delimiter);
    if (cells.length === 0) problems.add(at, `has more than ${inventoryTextLimits.lineChars} characters`);
    else if (cells.length > columns.length)
      problems.add(at, `has ${cells.length} columns, and the map ${columns.length}: ${columns.join(",")}`);
    else {
      const fields = fieldsOf(columns, cells, (name) =>
        notes.add(at, `${name} was omitted: it is a secret, use a credential`),
      );
      const { group } = fields;
      if (typeof group === "string" && !groups.has(group)) groups.set(group, { fields: { name: group }, at });
      devices.push({ fields, at });
    }
  }
  problems.check();
  return { devices, groups: [...groups.values()], warnings: notes.list() };
}

function columnsOf(map: string): OxidizedField[] {
  const columns = map.split(",").map((name) => name.trim());
  const fields = columns.flatMap((name): OxidizedField[] =>
    name === "-" ? ["-"] : fieldNames.filter((field) => field === name),
  );
  if (fields.length !== columns.length || !fields.includes("name"))
    throw invalid(
      "map",
      `must be columns of ${fieldNames.join(", ")} or -, separated by commas, including name`,
    );
  return fields;
}

function fieldsOf(
  columns: readonly OxidizedField[],
  cells: readonly string[],
  secret: (name: string) => void,
): Fields {
  const fields: Fields = {};
  for (const [index, column] of columns.entries()) {
    const cell = (cells[index] ?? "").trim();
    if (cell === "" || column === "-") continue;
    if (column === "password" || column === "enable") secret(column);
    else if (column === "ip") fields.host = cell;
    else if (column === "model") fields.platform = named(platforms, cell);
    else if (column === "username") fields.connection = { username: cell };
    else if (column === "port") fields.port = /^\d{1,5}$/.test(cell) ? Number(cell) : cell;
    else fields[column] = cell;
  }
  return fields;
}

const writtenMap = "name,ip,model,group";

/** @throws ServiceError Validation: a value contains the delimiter */
function lines(
  { devices }: ExportedInventory,
  { delimiter = ":", map = writtenMap }: InventoryFormatOptions,
): string[] {
  const columns = columnsOf(map);
  return devices
    .filter(({ effective }) => effective.enabled)
    .map(({ effective }) => {
      const cells = columns.map((column) => cellOf(column, effective));
      if (cells.some((cell) => cell.includes(delimiter)))
        throw invalid(
          "delimiter",
          `stands in a value of ${effective.name}: name another one, such as delimiter=;`,
        );
      return `${cells.join(delimiter)}\n`;
    });
}

function cellOf(column: OxidizedField, device: ResolvedDevice): string {
  const { name, host, platform, group, connection, port } = device;
  const { username } = connection;
  const cells: Partial<Record<OxidizedField, string | null>> = {
    name,
    ip: host,
    model: platform && keyNamed(platforms, platform),
    group,
    username: typeof username === "string" ? username : "",
    port: port === null ? "" : String(port),
  };
  return cells[column] ?? "";
}
