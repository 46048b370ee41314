/**
 * Random configurations on simulated devices, which are written from what their systems do: the lines that lead from one
 * to the next are taken without a refusal, and leave what was foretold, which is what was wanted.
 */
import process from "node:process";
import { expect, test } from "vitest";
import {
  aosCxRunning,
  comwareRunning,
  eosRunning,
  fortiosRunning,
  junosRunning,
  nxosRunning,
  os10Running,
  routerosRunning,
  vrpRunning,
  vyosRunning,
  xrRunning,
} from "../../plugins/platforms/family/running.ts";
import { apply } from "../../src/configtree/apply.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import type { TreeRules } from "../../src/configtree/rules.ts";
import { randomFrom } from "./frr-configurations.ts";
import { aosCx } from "./systems/aoscx.ts";
import type { SimulatedSystem } from "./systems/device.ts";
import { eos } from "./systems/eos.ts";
import { fortios } from "./systems/fortios.ts";
import { nxos } from "./systems/nxos.ts";
import { os10 } from "./systems/os10.ts";
import { junos, vyos } from "./systems/paths.ts";
import { routeros, routerosTerse } from "./systems/routeros.ts";
import { comware, vrp } from "./systems/undo.ts";
import { xr } from "./systems/xr.ts";

const pairs = Number(process.env.SYSTEM_PAIRS ?? 20);

const systems: readonly (readonly [name: string, system: SimulatedSystem, rules: TreeRules])[] = [
  ["NX-OS", nxos, nxosRunning],
  ["EOS", eos, eosRunning],
  ["IOS XR", xr, xrRunning],
  ["Junos", junos, junosRunning],
  ["VyOS", vyos, vyosRunning],
  ["FortiOS", fortios, fortiosRunning],
  ["Huawei VRP", vrp, vrpRunning],
  ["HP Comware", comware, comwareRunning],
  ["AOS-CX", aosCx, aosCxRunning],
  ["Dell OS10", os10, os10Running],
  ["RouterOS", routeros, routerosRunning],
  ["RouterOS, terse", routerosTerse, routerosRunning],
];

test.each(systems)(
  `%s takes the lines between ${pairs} configurations`,
  (_, { make, lines: linesOf }, rules) => {
    const device = make();
    const faults: string[] = [];
    let wrong = 0;
    for (let seed = 1; seed <= pairs; seed++) {
      const other = make();
      expect(other.push(linesOf(randomFrom(seed))), "what a new device refuses").toEqual([]);
      const wanted = other.running();
      const from = device.running();
      const { lines } = remediate(from, wanted, rules);
      const foretold = apply(from, lines, rules).text;
      const of = (what: string, all: readonly string[]) =>
        all.length === 0 ? [] : [`${what} of seed ${seed}: ${all.slice(0, 8).join(" | ")}`];
      const refused = device.push(lines);
      const running = device.running();
      const own = [
        ...of("refused", refused),
        ...of("missing", running === wanted ? [] : differing(running, wanted)),
        ...of("foretold otherwise", remediate(foretold, running, rules).lines),
      ];
      if (own.length > 0) wrong++;
      faults.push(...own);
      if (running !== wanted) device.push(remediate(running, wanted, rules).lines);
    }
    expect({ wrong, faults: faults.slice(0, 12) }).toEqual({ wrong: 0, faults: [] });
  },
);

function differing(running: string, wanted: string): string[] {
  const [have, want] = [running.split("\n"), wanted.split("\n")];
  return [
    "differs",
    ...have.filter((line) => !want.includes(line)).map((line) => `-${line}`),
    ...want.filter((line) => !have.includes(line)).map((line) => `+${line}`),
  ];
}
