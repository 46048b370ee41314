/** The device table of the NetPulse CLI: Selected, Name, Site, Vendor, IP, Port, Username, Password, … */
import {
  delimiterFor,
  type InventoryEntry,
  type InventoryFormat,
  invalid,
  Notes,
  type ReadInventory,
  RowIssues,
  readCsvRows,
} from "patchbay/plugin";
import { type Fields, named, namePattern } from "../shared/fields.ts";

export default (): InventoryFormat => ({ read: readTable });

/** Its vendors, and Netmiko's names. */
const platforms: Readonly<Record<string, string>> = {
  arista: "arista_eos",
  cisco: "cisco_ios",
  fortinet: "fortinet",
  h3c: "hp_comware",
  huawei: "huawei",
};

/** Its only driver. */
const netpulseDriver = "netmiko";

const columns = [
  "selected",
  "name",
  "site",
  "location",
  "rack",
  "vendor",
  "model",
  "ip",
  "port",
  "username",
  "password",
  "keepalive",
];

/** Devices that are not selected are imported as disabled. @throws ServiceError Validation */
function readTable(text: string): ReadInventory {
  const [header, ...rows] = readCsvRows(text, "the text", delimiterFor(text));
  if (header === undefined) throw invalid("line 1", "there is no header");
  const titles = header.cells.map((cell) => cell.toLowerCase());
  const problems = new RowIssues();
  const notes = new Notes();
  const place = `line ${header.line}`;
  for (const needed of ["ip", "vendor"])
    if (!titles.includes(needed))
      problems.add(place, `there is no column ${needed === "ip" ? "IP" : "Vendor"}`);
  for (const [index, title] of titles.entries()) {
    if (titles.indexOf(title) < index)
      problems.add(place, `the column ${JSON.stringify(title.slice(0, 64))} appears twice`);
    if (!columns.includes(title)) notes.add(place, "a column unknown to NetPulse was omitted");
  }
  problems.check();
  const devices: InventoryEntry[] = [];
  for (const { cells, line } of rows) {
    const at = `line ${line}`;
    const row = new Map(titles.map((title, index) => [title, cells[index] ?? ""]));
    if (cells.length > titles.length)
      problems.add(at, `the row has ${cells.length} cells, but the header has ${titles.length}`);
    if ((row.get("ip") ?? "") === "") problems.add(at, "IP: is required");
    if ((row.get("password") ?? "") !== "")
      notes.add(at, "Password was omitted: it is a secret, use a credential");
    devices.push({ fields: fieldsOf(row, at, problems), at });
  }
  problems.check();
  return { devices, groups: [], warnings: notes.list() };
}

function fieldsOf(row: ReadonlyMap<string, string>, at: string, problems: RowIssues): Fields {
  const cell = (name: string) => row.get(name) ?? "";
  const number = (name: string, label: string) => {
    if (/^\d{1,6}$/.test(cell(name))) return Number(cell(name));
    problems.add(at, `${label}: must be a number`);
    return undefined;
  };
  const written = cell("name").replace(/\s+/g, "-");
  const fields: Fields = {
    name: namePattern.test(written) ? written : cell("ip"),
    host: cell("ip"),
    driver: netpulseDriver,
  };
  const set = (name: string, value: unknown) => {
    if (value !== undefined && value !== "") fields[name] = value;
  };
  set("site", cell("site"));
  if (cell("vendor") !== "") set("platform", named(platforms, cell("vendor")));
  if (cell("port") !== "") set("port", number("port", "Port"));
  const connection: Fields = {};
  if (cell("username") !== "") connection.username = cell("username");
  if (cell("keepalive") !== "") connection.keepalive = number("keepalive", "Keepalive");
  if (Object.keys(connection).length > 0) fields.connection = connection;
  const vars = ["location", "rack", "model", "vendor"].filter((name) => cell(name) !== "");
  if (vars.length > 0) fields.vars = Object.fromEntries(vars.map((name) => [name, cell(name)]));
  if (/^(?:false|no|0)$/i.test(cell("selected"))) fields.enabled = false;
  return fields;
}
