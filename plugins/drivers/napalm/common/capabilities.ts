/** LLDP capability codes and their names in results. */

const names: Readonly<Record<string, string>> = {
  o: "other",
  p: "repeater",
  b: "bridge",
  w: "wlan-access-point",
  r: "router",
  t: "telephone",
  c: "docsis-cable-device",
  s: "station",
};

/** `B, R` is `["bridge", "router"]`; unknown codes are dropped. */
export function capabilities(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(",")
    .flatMap((letter) => names[letter.trim()] ?? [])
    .sort();
}
