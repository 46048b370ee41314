/** BGP attributes of the best path to a prefix on NX-OS. */
import { asNumber } from "../../../common/addresses.ts";
import { firstGroup, linesOf } from "../../../common/text.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

interface Of {
  readonly prefix: string;
  readonly vrf: string;
  readonly nextHop: string;
}

export async function bgpAttributes(device: NxosDevice, of: Of): Promise<Record<string, unknown>> {
  const process = await device.text('show bgp process | include "BGP Protocol Tag"');
  const localAs = firstGroup(/BGP Protocol Tag\s+: ([\d.]+)/, process);
  if (localAs === undefined) return {};
  const [, ...paths] = (await device.text(`show ip bgp vrf ${of.vrf} ${of.prefix}`)).split("Path type");
  let attributes: Record<string, unknown> = {};
  for (const path of paths.filter((text) => text.includes("is best path"))) {
    const kind = firstGroup(/^: (\w+),/, path) ?? "";
    const hop = firstGroup(/^ {4}([\d.]{7,15})/m, path) ?? "";
    // A locally originated path has another next hop than the route.
    if (!["redist", "local"].includes(kind) && hop !== of.nextHop) continue;
    attributes = await attributesOf(device, { path, kind, hop, localAs, vrf: of.vrf });
  }
  return attributes;
}

async function attributesOf(
  device: NxosDevice,
  { path, kind, hop, localAs, vrf }: Readonly<Record<"path" | "kind" | "hop" | "localAs" | "vrf", string>>,
): Promise<Record<string, unknown>> {
  const asPath = firstGroup(/AS-Path: ([\d(][\d() ]*)/, path)?.trim() ?? "";
  const neighbors = await device.text(`show ip bgp neighbors vrf ${vrf} | include "is ${hop}"`);
  const remote = firstGroup(/remote AS ([\d.]+)/, neighbors) ?? remoteOf(kind, asPath, localAs);
  return {
    as_path: asPath,
    remote_address: firstGroup(/from ([\d.]{7,15})/, path) ?? "",
    local_preference: Number(firstGroup(/localpref (\d+)/, path) ?? 0),
    communities: communitiesOf(path),
    local_as: asNumber(localAs),
    remote_as: remote === undefined ? 0 : asNumber(remote),
  };
}

/** The next hop is in another table: the first AS of the path is the external neighbour. */
function remoteOf(kind: string, asPath: string, localAs: string): string | undefined {
  if (kind === "external") return asPath.split(" ")[0]?.replace("(", "");
  return kind === "internal" ? localAs : undefined;
}

function communitiesOf(path: string): string[] {
  const plain =
    firstGroup(/^ {6}Community: (\S.*)$/m, path)
      ?.trim()
      .split(/\s+/) ?? [];
  const extended: string[] = [];
  const [, behind = ""] = path.split("Extcommunity:", 2);
  for (const line of linesOf(behind).slice(1)) {
    const text = firstGroup(/^ {10}(\S.*)$/, line)?.trim();
    if (text === undefined) break;
    extended.push(text);
  }
  return [...plain, ...extended];
}
