/** The starter set: templates of our own, so that common commands parse before a larger set is installed. */
import type { TemplateLibrary } from "patchbay/plugin";
import { comware } from "./comware.ts";
import { eos } from "./eos.ts";
import { huawei } from "./huawei.ts";
import { ios } from "./ios.ts";
import { junos } from "./junos.ts";
import { nxos } from "./nxos.ts";
import { xr } from "./xr.ts";

export interface StarterTemplate {
  /** As in an index: `sh[[ow]]` also stands for `sh`; the whole command must match. */
  readonly command: string;
  readonly template: string;
}

const platforms: readonly (readonly [string, readonly StarterTemplate[]])[] = [
  ["cisco_ios", ios],
  ["cisco_nxos", nxos],
  ["cisco_xr", xr],
  ["arista_eos", eos],
  ["juniper_junos", junos],
  ["hp_comware", comware],
  ["huawei_vrp", huawei],
];

/** The same shape as an installed set. */
export function starterSet(): TemplateLibrary {
  const files = new Map<string, string>();
  const rows: string[] = ["Template, Hostname, Platform, Command"];
  for (const [platform, templates] of platforms) {
    for (const { command, template } of templates) {
      const name = `${platform}_${plainName(command)}.textfsm`;
      files.set(name, template);
      rows.push(`${name}, .*, ${platform}, ${command}\\s*$`);
    }
  }
  files.set("index", `${rows.join("\n")}\n`);
  return { installed: true, list: () => [...files.keys()].sort(), read: (path) => files.get(path) };
}

const plainName = (command: string) =>
  command
    .replace(/\[\[(.+?)\]\]/g, "$1")
    .replace(/\([^()]*\)\??/g, "")
    .trim()
    .replace(/[^a-z-]+/g, "_");
