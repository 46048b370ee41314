/**
 * Random configurations on the daemons of FRR: the lines that lead from one to the next are taken without a refusal, and
 * leave what was foretold, which is what was wanted.
 */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frrRunning } from "../../plugins/platforms/family/running.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../scripts/testbed/frr.ts";
import { makeFolder } from "../../scripts/testbed/process.ts";
import { run } from "../../scripts/testbed/run.ts";
import { apply } from "../../src/configtree/apply.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import { frrConfiguration, interfaces, randomFrom } from "./frr-configurations.ts";

const pairs = Number(process.env.FRR_PAIRS ?? 40);
/** What is told, and done all the same. */
const remarks = /^The route-map '\S+' does not exist\.$|^(?:\[|Reading|Building)/;

describe.skipIf(needs("frr"))("FRR", () => {
  let router: Frr;
  const folder = makeFolder("frr-pairs");
  const file = join(folder.path, "push.conf");
  beforeAll(async () => {
    chmodSync(folder.path, 0o755);
    router = await startFrr({ daemons: ["staticd", "bgpd", "ospfd"] });
    for (const name of interfaces)
      run(["ip", "-n", router.network, "link", "add", name, "type", "veth", "peer", "name", `${name}-b`], {
        mustSucceed: true,
      });
  });
  afterAll(async () => {
    await router.stop();
    folder.remove();
  });

  test(`takes the lines between ${pairs} configurations`, () => {
    const running = () => router.vtysh("show running-config");
    const faults: string[] = [];
    for (let seed = 1, from = running(); seed <= pairs; seed++) {
      const wanted = frrConfiguration(randomFrom(seed));
      const { lines } = remediate(from, wanted, frrRunning);
      const foretold = apply(from, lines, frrRunning).text;
      writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o644 });
      const told = router.vtysh(`copy ${file} running-config`).split("\n");
      from = running();
      const of = (what: string, all: readonly string[]) =>
        all.length === 0 ? [] : [`${what} of seed ${seed}: ${all.slice(0, 8).join(" | ")}`];
      faults.push(
        ...of(
          "refused",
          told.filter((line) => line.trim() !== "" && !remarks.test(line)),
        ),
        ...of("missing", remediate(from, wanted, frrRunning).lines),
        ...of("foretold otherwise", remediate(foretold, from, frrRunning).lines),
      );
    }
    expect(faults).toEqual([]);
  }, 600_000);
});
