/** Configurations as devices show them, the same at each run: an access switch or router with ports, routes and lists. */

/** Numbers below a limit, the same for the same seed. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const places = ["access", "uplink", "printer", "camera", "phone", "server", "lab", "guest", "spare", "voice"];

/** About `chars` characters of the device with this number. */
export function configurationOf(device: number, chars: number): string {
  const next = numbers(device + 1);
  const octet = () => next(256);
  const secret = () =>
    `<secret ${next(2 ** 24)
      .toString(16)
      .padStart(6, "0")}>`;
  const lines = [
    `hostname sw-${device}`,
    "!",
    "no ip domain lookup",
    `ip domain name site${device % 97}.example.net`,
    `username admin privilege 15 secret 9 ${secret()}`,
    "!",
    `vlan ${10 + next(90)}`,
    ` name ${places[next(places.length)]}`,
    "!",
  ];
  for (let port = 1, size = 0; size < chars - 1_400; port++) {
    const place = places[next(places.length)];
    const block = [
      `interface GigabitEthernet1/0/${port}`,
      ` description ${place} ${next(900)}-${next(100)} floor ${next(12)}`,
      ` switchport access vlan ${10 + next(90)}`,
      " switchport mode access",
      ...(next(3) === 0 ? [` storm-control broadcast level ${next(100)}.00`] : []),
      ...(next(4) === 0 ? [" shutdown"] : [" spanning-tree portfast"]),
      "!",
    ];
    lines.push(...block);
    size += block.join("\n").length + 1;
  }
  const routes = Array.from(
    { length: 8 },
    () => `ip route 10.${octet()}.${octet()}.0 255.255.255.0 10.0.0.${octet()}`,
  );
  const entries = Array.from(
    { length: 12 },
    () => ` permit tcp host 10.${octet()}.${octet()}.${octet()} any eq ${next(1024)}`,
  );
  lines.push(`router bgp ${64_512 + (device % 1_000)}`, ` neighbor 10.0.0.${octet()} remote-as 65000`, "!");
  lines.push(...routes, "!", "ip access-list extended MGMT", ...entries, "!");
  lines.push(`snmp-server community ${secret()} RO`, "line vty 0 4", " transport input ssh", "!", "end", "");
  return lines.join("\n");
}
