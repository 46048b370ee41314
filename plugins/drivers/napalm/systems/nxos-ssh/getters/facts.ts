/** `get_facts` of nxos_ssh. */
import { PluginError } from "patchbay/plugin";
import { secondsOfWords } from "../../../common/durations.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { firstGroup, linesOf, wordsOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { rowsOf, textOf } from "../../nxos-common/tables.ts";

export const getFacts: Getter<NxosDevice, "get_facts"> = async (device) => {
  const version = versionOf(await device.text("show version"));
  const domain = domainOf(await device.text("show hosts"));
  const interfaces = interfacesOf(await device.text("show interface status"));
  const names = namesOf((await device.text("show hostname")).trim(), domain);
  return {
    vendor: "Cisco",
    ...version,
    ...names,
    serial_number: await serialOf(device),
    interface_list: interfaces,
  };
};

function versionOf(output: string) {
  const facts = { uptime: -1, os_version: "", model: "" };
  for (const line of linesOf(output)) {
    const since = line.split(" uptime is ")[1];
    if (since !== undefined) facts.uptime = secondsOfWords(since);
    // Skips `Host NXOS: version …`, which has an extra word and the same version.
    if (/system: |(?<!Host )NXOS: /.test(line)) facts.os_version = wordsOf(line)[2] ?? "";
    if (line.includes("cisco") && line.includes("hassis")) {
      facts.model =
        firstGroup(/.cisco (.* [cC]hassis)/, line)?.trim() ??
        firstGroup(/.cisco (.*) \(/, line)?.trim() ??
        facts.model;
    }
  }
  return facts;
}

/** `Default domain is …`, `Default domain for vrf:default is …` */
function domainOf(output: string): string {
  const line = linesOf(output).find((text) => text.includes("Default domain"));
  return firstGroup(/Default domain.* is (.*)$/, line ?? "")?.trim() ?? "";
}

/** A host name that contains the domain is the FQDN, and is shortened by the domain. */
function namesOf(name: string, domain: string): { readonly hostname: string; readonly fqdn: string } {
  if (name.split(".").length < 3) return { hostname: name, fqdn: domain === "" ? "" : `${name}.${domain}` };
  const host = domain !== "" && name.endsWith(domain) ? name.slice(0, -domain.length) : name;
  return { hostname: host.replace(/^\.+|\.+$/g, ""), fqdn: name };
}

function interfacesOf(output: string): string[] {
  return linesOf(output)
    .filter((line) => line.trim() !== "" && !/^(?:-{9}|Port | )/.test(line))
    .map((line) => canonicalInterface(/^\S+/.exec(line)?.[0] ?? ""));
}

/** The chassis serial number; older releases have no structured output for it. */
async function serialOf(device: NxosDevice): Promise<string> {
  try {
    const rows = rowsOf(await device.json("show inventory"), "TABLE_inv", "ROW_inv");
    const chassis = rows.find((row) => textOf(row, "name")?.replaceAll('"', "") === "Chassis");
    return chassis === undefined ? "" : (textOf(chassis, "serialnum") ?? "");
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
  }
  let named = "";
  for (const line of linesOf(await device.text("show inventory"))) {
    named = firstGroup(/^NAME:\s+"([^"]*)"/, line) ?? named;
    const serial = firstGroup(/^PID:.*SN:\s+(\w*)/, line);
    if (serial !== undefined && named === "Chassis") return serial;
  }
  return "";
}
