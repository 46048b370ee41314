/** Names of interfaces and VLANs, as systems write them. */

/** The same interface may be written with a blank, in either case, and its unit as a word or behind a dot. */
export const nameOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/ unit (?=\d)/, ".")
    .replaceAll(/\s+/g, "");

/** Interfaces that are bundles of ports, by their names without blanks. */
const bundleName =
  /^(?:port-channel|po|bundle-ether|be|eth-trunk|bridge-aggregation|bagg|route-aggregation|ragg|lag|trk|ae|bond)(\d+)$/;

/** Ports name their bundle, or its number only. */
export const isBundle = (name: string, bundle: string) =>
  name === bundle || (/^\d+$/.test(bundle) && bundleName.exec(name)?.[1] === bundle);

/** `10,20-22`, `10 20 to 22`. */
export function vlansIn(text: string): ReadonlySet<string> {
  const vlans = new Set<string>();
  for (const [, from = "", to = from] of text
    .replaceAll(/\s+to\s+/g, "-")
    .matchAll(/(\d{1,4})(?:-(\d{1,4}))?/g))
    for (let vlan = Number(from); vlan <= Math.min(Number(to), 4_095); vlan++) vlans.add(String(vlan));
  return vlans;
}
