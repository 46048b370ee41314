/**
 * What a configuration of each system has beside its lines: what moves by itself, who changed it, where secrets stand,
 * and how it begins as what is loaded at the next start. Lines are of the forms that the named documentation has.
 */
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../../src/configtext/read.ts";
import { endsEarly, hasNoEnd } from "../../src/configtext/whole.ts";
import type { ConfigurationPart } from "../../src/plugin/platform.ts";
import { inputOf, platformOf } from "./samples.ts";
import type { System } from "./systems.ts";
import { ciscoSystems } from "./systems-cisco.ts";
import { othersSystems } from "./systems-others.ts";
import { switchesSystems } from "./systems-switches.ts";

const systems: readonly System[] = [...ciscoSystems, ...switchesSystems, ...othersSystems];

const shownAt = ({ head, body, foot }: System, time: 0 | 1): string =>
  [head?.[time], body.replaceAll(/[«»]/g, ""), foot?.[time]].filter((part) => part !== undefined).join("\n");

describe.each(systems.map((system) => ({ ...system, title: `${system.name}: ${system.source}` })))(
  "$title",
  (system) => {
    const platform = platformOf(system.name);
    if (platform === undefined) throw new Error(`${system.name} is not there`);
    const part: ConfigurationPart = system.part ?? "running";
    const read = (text: string, of: ConfigurationPart = part) =>
      readConfiguration(inputOf({ platform, part: of as "running" | "set" }, text));
    const first = read(shownAt(system, 0));

    it("is asked for as its documentation has it", () => {
      const { show, set, startup } = platform.running ?? {};
      expect([part === "set" ? set : show, part === "set" ? undefined : startup]).toEqual([
        system.show,
        part === "set" ? undefined : (system.startup ?? startup),
      ]);
    });

    it("is good, without any of its secrets, and tells who changed it", () => {
      expect([first.state, first.reason]).toEqual(["good", undefined]);
      const secrets = [...system.body.matchAll(/«([^»]*)»/g)].map(([, secret]) => secret ?? "");
      expect(secrets.filter((secret) => first.text.includes(secret))).toEqual([]);
      expect(first.text.match(/<secret [0-9a-f]{6}>/g)?.length).toBeGreaterThanOrEqual(secrets.length);
      if (system.by !== undefined) expect(first.changedBy).toEqual(system.by);
    });

    it("is the same when only what moves by itself has moved, and another one when a line has", () => {
      expect(read(shownAt(system, 1)).compare).toBe(first.compare);
      const [line, other] = system.change;
      expect(shownAt(system, 0)).toContain(line);
      expect(read(shownAt(system, 1).replace(line, other)).compare).not.toBe(first.compare);
    });

    it.skipIf(system.startup === undefined)(
      "is saved if what is loaded at the next start has the same lines",
      () => {
        const { startupHead, startupFoot, foot, body } = system;
        const text = [startupHead, body.replaceAll(/[«»]/g, ""), startupFoot ?? foot?.[0]];
        const saved = read(text.filter((one) => one !== undefined).join("\n"), "startup");
        expect([saved.state, saved.reason]).toEqual(["good", undefined]);
        expect(saved.compare).toBe(first.compare);
        expect(saved.text).not.toContain("-word");
      },
    );

    it("is not good when it is cut, or is seen to be the beginning of the one before", () => {
      const whole = shownAt(system, 1).trimEnd();
      const passed: string[] = [];
      for (let at = Math.floor(whole.length / 3); at < whole.length; at++) {
        const cut = read(whole.slice(0, at));
        const isSeen = cut.state === "suspect" || endsEarly(cut.text, first.text, platform.running, part);
        if (!isSeen && cut.compare !== first.compare) passed.push(whole.slice(0, at).slice(-60));
      }
      expect(passed.slice(0, 5)).toEqual([]);
      if (hasNoEnd(platform.running, part)) expect(platform.running?.leastBytes ?? part).toBeTruthy();
    });
  },
);
