/** BGP attributes of the best path to a destination on IOS. */
import { asNumber } from "../../../common/addresses.ts";
import { firstGroup } from "../../../common/text.ts";
import type { IosDevice } from "../device.ts";

const asPath = /^ {2}(\d[\d ()]*|\([\d ()]*|Local)/m;

export async function bgpAttributes(
  device: IosDevice,
  destination: string,
  vrf: string,
): Promise<Record<string, unknown>> {
  const localAs = firstGroup(
    /Routing Protocol is "bgp (\d+)/,
    await device.ask("show ip protocols | include bgp"),
  );
  const of = vrf === "default" ? "" : `vpnv4 vrf ${vrf} `;
  const paths = pathsOf(await device.ask(`show ip bgp ${of}${destination}`));
  const best = paths.findLast((path) => /\bbest\b/.test(path));
  if (best === undefined) return {};
  const path = firstGroup(asPath, best)?.trim() ?? "";
  const nextHop = firstGroup(/^ {4}([\d.]{7,15})/m, best) ?? "";
  const neighbors = await device.ask(`show ip bgp ${of}neighbors | include is ${nextHop}`);
  const remote =
    firstGroup(/remote AS ([\d.]+)/, neighbors) ??
    // The next hop is in another table: the first AS of the path is the external neighbour.
    (best.includes("external") ? path.split(" ")[0]?.replace("(", "") : localAs) ??
    "";
  const communities = ["Community", "Extended Community"].flatMap(
    (name) =>
      firstGroup(new RegExp(`^\\s+${name}: (\\w[\\w: -]*)`, "m"), best)
        ?.trim()
        .split(/\s+/) ?? [],
  );
  return {
    as_path: path,
    remote_address: firstGroup(/from ([\d.]{7,15})/, best) ?? "",
    communities,
    local_preference: Number(firstGroup(/localpref (\d+)/, best) ?? 0),
    local_as: asNumber(localAs ?? "0"),
    ...(remote === "" ? {} : { remote_as: asNumber(remote) }),
  };
}

/** Later releases start each path with `Refresh Epoch`, earlier ones with the AS path only. */
function pathsOf(output: string): string[] {
  const [, ...paths] = output.split("Refresh Epoch");
  if (paths.length > 0) return paths;
  const [, ...older] = output.split(/^(?= {2}(?:\d|\(|Local))/m);
  return older;
}
