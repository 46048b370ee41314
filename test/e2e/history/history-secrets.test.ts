/**
 * Configurations with secrets of every form: all samples, each in five versions between which the letters of its secrets are
 * rotated. None of them is in an answer, a record, a difference, a search, Git or a log.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { samples } from "../../configtext/samples.ts";
import { type Kept, keptBy } from "./history-places.ts";

const rounds = 5;

/** With each letter of each secret moved on, round after round. */
function rotated({ raw, secrets }: (typeof samples)[number]) {
  return Array.from({ length: rounds }, (_, round) => {
    let [text, from] = ["", 0];
    const own: string[] = [];
    for (const { at, text: secret } of secrets) {
      const range = /^[\da-f]+$/i.test(secret) ? "abcdef" : "abcdefghijklmnopqrstuvwxyz";
      const next = [...secret].map((char) => moved(char, round, range)).join("");
      text += raw.slice(from, at) + next;
      from = at + secret.length;
      own.push(next);
    }
    return { text: text + raw.slice(from), secrets: own };
  });
}

/** A hash in hexadecimal stays one. */
function moved(char: string, by: number, range: string): string {
  const at = range.indexOf(char.toLowerCase());
  if (at < 0) return char;
  const next = range.charAt((at + by) % range.length);
  return char === char.toLowerCase() ? next : next.toUpperCase();
}

const recorded = samples
  .filter(({ part }) => part === "running")
  .map((sample) => ({ ...sample, texts: rotated(sample) }));

/** All that is no secret. */
const plain = samples.map(({ masked }) => masked.toLowerCase()).join("");

describe.skipIf(needs("git"))("recorded texts with secrets of every form", () => {
  let service: Service;
  let kept: Kept;
  const nameOf = (sample: string) => `all-${sample.replaceAll("_", "-")}`;

  beforeAll(async () => {
    service = await startService();
    kept = keptBy(service);
    const devices = recorded.map(({ name, platform }, at) => ({
      ...{ name: nameOf(name), host: `192.0.2.${at + 1}`, driver: "netmiko", platform: platform.name },
    }));
    const { status, body } = await service.call("POST", "/inventory/device", { devices });
    expect(status, JSON.stringify(body)).toBe(200);
  });
  afterAll(() => service.close());

  test("have one version for each rotation, and none of them shows in any place", async () => {
    const versions = recorded.flatMap(({ name, texts }) =>
      texts.map(({ text }, at) => ({
        ...{ device: nameOf(name), taken_at: `2020-01-0${at + 1}T00:00:00Z`, origin: `round ${at}`, text },
      })),
    );
    expect(versions.length).toBeGreaterThanOrEqual(100);
    const { status, body } = await service.call("POST", "/history/import", { versions });
    expect(status, JSON.stringify(body)).toBe(200);
    let hidden = 0;
    for (const { name, texts } of recorded) {
      const list = await kept.versions(nameOf(name));
      expect([name, list.length]).toEqual([name, rounds]);
      // What stands in the rest of the text, too, is no secret.
      const secrets = [
        ...new Set(texts.flatMap((one) => one.secrets.flatMap((secret) => secret.split("\n")))),
      ].filter((secret) => secret.length >= 6 && !plain.includes(secret.toLowerCase()));
      hidden += secrets.length;
      await kept.hides(nameOf(name), secrets);
    }
    expect(hidden).toBeGreaterThan(1_000);
  }, 600_000);
});
