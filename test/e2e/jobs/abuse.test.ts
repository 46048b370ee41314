/**
 * The short form of `bun run abuse`: each attack at small scale, judged by counts and memory, never by time
 * (P33).
 */
import { expect, test } from "vitest";
import { play } from "../../../scripts/abuse/attack.ts";
import { attacks } from "../../../scripts/abuse/attacks.ts";

test.each(attacks.map(({ name }) => name))(
  "the service survives an attack by one key: %s",
  { timeout: 180_000 },
  async (name) => {
    const attack = attacks.find((one) => one.name === name);
    if (!attack) throw new Error(`there is no attack ${name}`);
    const report = await play(attack, { size: 0.02, timed: false });
    expect(report.breaches, `bun run abuse --quick --only ${name}`).toEqual([]);
    // The other key sent requests throughout and was served.
    expect(report.watched.probes).toBeGreaterThan(0);
  },
);
