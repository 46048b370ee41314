/**
 * Twins beside simulated devices that are written from what their systems do: the same lines, with and without their
 * indentation, leave the same configuration, and none is refused.
 */
import process from "node:process";
import { expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { modesOf, twinRules, writtenRules } from "../../src/configtext/rules.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import { playLines } from "../../src/twin/play.ts";
import { randomFrom } from "../configtree/frr-configurations.ts";
import { aosCx } from "../configtree/systems/aoscx.ts";
import type { SimulatedSystem } from "../configtree/systems/device.ts";
import { eos } from "../configtree/systems/eos.ts";
import { fortios } from "../configtree/systems/fortios.ts";
import { nxos } from "../configtree/systems/nxos.ts";
import { os10 } from "../configtree/systems/os10.ts";
import { junos, vyos } from "../configtree/systems/paths.ts";
import { routeros } from "../configtree/systems/routeros.ts";
import { comware, vrp } from "../configtree/systems/undo.ts";
import { xr } from "../configtree/systems/xr.ts";

const pairs = Number(process.env.SYSTEM_PAIRS ?? 20);

const systems: readonly (readonly [name: string, system: SimulatedSystem])[] = [
  ["cisco_nxos", nxos],
  ["arista_eos", eos],
  ["cisco_xr", xr],
  ["juniper_junos", junos],
  ["vyos", vyos],
  ["fortinet", fortios],
  ["huawei", vrp],
  ["hp_comware", comware],
  ["aruba_aoscx", aosCx],
  ["dell_os10", os10],
  ["mikrotik_routeros", routeros],
];

test.each(systems)(`a twin of %s leaves what the device does on ${pairs} pairs`, (name, system) => {
  const platform = builtins.find(
    (plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === name,
  );
  const rules = writtenRules(platform);
  const twin = twinRules(rules, modesOf(platform));
  const faults: string[] = [];
  let wrong = 0;
  const device = system.make();
  for (let seed = 1; seed <= pairs; seed++) {
    const other = system.make();
    other.push(system.lines(randomFrom(seed)));
    const from = device.running();
    const sent = remediate(from, other.running(), twin.rules).lines.flatMap((line) => line.split("\n"));
    const refused = device.push(sent);
    const running = device.running();
    for (const given of [sent, sent.map((line) => line.trimStart())]) {
      // In a text of lines, those of a policy keep their blanks.
      if (given !== sent && rules.texts !== undefined) continue;
      const played = playLines(from, given, twin);
      // Where no indentation tells, it may have to guess, and says so.
      if (played.unknown.some(({ why }) => why.includes("nothing left"))) {
        continue;
      }
      const own = [
        ...remediate(played.left, running, twin.rules).lines.map((line) => `differs: ${line}`),
        ...played.refused.map(({ line, why }) => `refused: ${given[line - 1]}: ${why}`),
      ];
      if (own.length > 0 && refused.length === 0) wrong++;
      faults.push(...own.map((fault) => `seed ${seed}: ${fault}`).slice(0, 4));
    }
  }
  expect({ wrong, faults: faults.slice(0, 12) }).toEqual({ wrong: 0, faults: [] });
});
