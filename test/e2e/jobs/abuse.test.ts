/**
 * The short form of `bun run abuse`: each attack, in a plain run some of each kind, at small scale, judged by counts and memory, never by time
 * (P33). Attacks that want no settings and no stored jobs follow each other on one service, each with its own key.
 */
import { afterAll, expect, test } from "vitest";
import { type Attack, play, playOn } from "../../../scripts/abuse/attack.ts";
import { attacked, attacks } from "../../../scripts/abuse/attacks.ts";
import { type AbusedService, startAbused, withNextAttacker } from "../../../scripts/abuse/service.ts";
import { sampled } from "../../support/sampled.ts";

const named = Object.entries(attacked).flatMap(([kind, all]) => all.map(({ name }) => ({ kind, name })));
const short = { size: 0.02, timed: false } as const;
let shared: AbusedService | undefined;
afterAll(() => shared?.stop());

async function playShort(attack: Attack) {
  if (attack.env !== undefined || attack.stored !== undefined) return play(attack, short);
  shared ??= await startAbused({ stored: 0 });
  return playOn(await withNextAttacker(shared, attack.name), attack, short);
}

test.each(sampled(named, 8, ({ kind }) => kind).map(({ name }) => name))(
  "the service survives an attack by one key: %s",
  { timeout: 180_000 },
  async (name) => {
    const attack = attacks.find((one) => one.name === name);
    if (!attack) throw new Error(`there is no attack ${name}`);
    const report = await playShort(attack);
    expect(report.breaches, `bun run abuse --quick --only ${name}`).toEqual([]);
    // The other key sent requests throughout and was served.
    expect(report.watched.probes).toBeGreaterThan(0);
  },
);
