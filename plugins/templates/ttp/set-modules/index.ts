/** Our counterparts of the Python modules that ttp-templates imports (`ttp_templates.utils.…`). */
import type { ModuleSource } from "../macro/contract.ts";
import bgp from "./bgp.py" with { type: "text" };
import interfaces from "./interfaces.py" with { type: "text" };
import moreInterfaces from "./interfaces_more.py" with { type: "text" };
import inventory from "./inventory.py" with { type: "text" };
import lldp from "./lldp.py" with { type: "text" };
import { models } from "./models.ts";
import n2g from "./n2g.py" with { type: "text" };
import netbox from "./netbox.py" with { type: "text" };
import shared from "./shared.py" with { type: "text" };

const PACKAGE = "ttp_templates.utils.";
const PLATFORMS = ["a10", "arista_eos", "cisco_ios", "cisco_nxos", "cisco_xr", "junos", "linux", "opengear"];

/** The subject of a module, by the first pattern that matches its name; exact names vary between releases. */
const SUBJECTS: readonly (readonly [name: RegExp, text: string])[] = [
  [/^netbox_parse_/, netbox],
  [/^n2g_cli_/, n2g],
  [/bgp_neighbor/, bgp],
  [/lldp/, lldp],
  [/inventory|hardware/, inventory],
  [/^(?:a10|arista|jun\w+?)_.*interface/, moreInterfaces],
  [/interface|ip_address/, interfaces],
];

/** `undefined` if the set has no such module. */
export function setModule(name: string): ModuleSource | undefined {
  if (!name.startsWith(PACKAGE)) return undefined;
  const short = name.slice(PACKAGE.length);
  if (short === "models") return { names: models };
  if (short === "shared") return { text: shared };
  if (short === "interfaces") return { text: interfaces };
  const platform = PLATFORMS.find((name) => short.includes(name));
  const text = SUBJECTS.find(([pattern]) => pattern.test(short))?.[1];
  if (platform === undefined || text === undefined) return undefined;
  return { text, prefix: `${platform}_` };
}
