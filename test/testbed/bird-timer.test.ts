/**
 * What `configure timeout` of a real BIRD does, on which the guide of changes relies: its timer is in the daemon, but
 * started twice it goes back to what it should have undone.
 */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bird, startBird } from "../../scripts/testbed/bird.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";

const textWith = (route: string) =>
  `router id 192.0.2.1;\nprotocol device {}\nprotocol static { ipv4; route ${route} blackhole; }\n`;

describe.skipIf(needs("bird"))("a configuration of BIRD on trial", () => {
  let bird: Bird;
  beforeAll(async () => {
    bird = await startBird(textWith("10.1.0.0/16"));
  });
  afterAll(() => bird.stop());
  const routes = () => bird.birdc("show", "route");
  function onTrial(route: string, seconds: number): void {
    writeFileSync(bird.file, textWith(route));
    expect(bird.birdc("configure", "timeout", String(seconds))).toMatch(/^Reconfigur/m);
  }

  test("comes back by the timer of the daemon, though nobody is connected, and stays once it is confirmed", async () => {
    expect(routes()).toContain("10.1.0.0/16");
    onTrial("10.2.0.0/16", 2);
    expect(routes()).toContain("10.2.0.0/16");
    await expect.poll(routes, { timeout: 30_000 }).toContain("10.1.0.0/16");
    onTrial("10.3.0.0/16", 2_000);
    expect(bird.birdc("configure", "confirm")).toContain("Reconfiguration confirmed");
    onTrial("10.4.0.0/16", 2_000);
    expect(bird.birdc("configure", "undo")).toMatch(/Undo|Reconfigur/);
    expect(routes()).toContain("10.3.0.0/16");
  });

  test("does not come back if its timer has started anew: its file is still that of the push", async () => {
    onTrial("10.5.0.0/16", 2_000);
    onTrial("10.5.0.0/16", 1);
    const last = () => /Last reconfiguration on (.+)/.exec(bird.birdc("show", "status"))?.[1];
    const begun = last();
    // Its end is a reconfiguration.
    await expect.poll(last, { timeout: 30_000 }).not.toBe(begun);
    expect(bird.birdc("configure", "confirm")).not.toContain("Reconfiguration confirmed");
    expect(routes()).toContain("10.5.0.0/16");
  });
});
