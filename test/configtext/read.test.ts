import { describe, expect, it } from "vitest";
import { openSecrets, readConfiguration } from "../../src/configtext/read.ts";
import { fingerprint, inputOf, platformOf, type Sample, samples } from "./samples.ts";

const read = (sample: Pick<Sample, "platform" | "part">, text: string) =>
  readConfiguration(inputOf(sample, text));
const differing = (a: string, b: string) => {
  const [left, right] = [a.split("\n"), b.split("\n")];
  return (
    left.flatMap((line, at) => (line === right[at] ? [] : [line])).length +
    Math.abs(left.length - right.length)
  );
};

describe.each(samples)("the configuration of $name", (sample) => {
  it("is good, and shows everything but its secrets", () => {
    const shown = read(sample, sample.raw);
    expect(shown.text).toBe(sample.masked);
    expect(openSecrets(shown.text, shown.secrets)).toBe(sample.raw);
    expect(shown.reason).toBeUndefined();
    expect(shown).toMatchObject({ state: "good", general: false });
  });

  it("changes in one line with each secret, and is the same if only its encryption changed", () => {
    const before = read(sample, sample.raw);
    for (const { at, text, reencrypted } of sample.secrets) {
      const other = [...text].map((char) => (/[b-y]/i.test(char) ? nextLetter(char) : char)).join("");
      if (other === text) continue;
      const after = read(sample, sample.raw.slice(0, at) + other + sample.raw.slice(at + text.length));
      expect([text, after.compare === before.compare]).toEqual([text, reencrypted]);
      expect([text, differing(after.text, before.text)]).toEqual([text, 1]);
    }
  });

  it("is the same with other lines that change by themselves", () => {
    const ignore = sample.platform.running?.ignore ?? [];
    const isIgnored = (line: string) => ignore.some((pattern) => pattern.test(line));
    const lines = sample.raw
      .split("\n")
      .filter((line) => !isIgnored(line) || /finished|files|end/i.test(line));
    expect(read(sample, lines.join("\n")).compare).toBe(read(sample, sample.raw).compare);
    const changed = sample.raw.replace(/\n(?=[^\n]*\n[^\n]*\n?$)/, "\nmore configuration\n");
    expect(read(sample, changed).compare).not.toBe(read(sample, sample.raw).compare);
  });

  it("is never good when it is cut, at whichever byte", () => {
    if (sample.platform.running?.complete === undefined || sample.part === "set") return;
    const passed: string[] = [];
    const length = sample.raw.trimEnd().length;
    for (let at = 0; at < length; at++) {
      const cut = sample.raw.slice(0, at);
      if (read(sample, cut).state === "good" && cut.trimEnd() !== sample.raw.trimEnd()) passed.push(cut);
    }
    // Where a block at the top ends, nothing says that another one would follow.
    const isTop = (cut: string) =>
      ["braces", "blocks"].includes(sample.platform.running?.shape ?? "") && /\n(?:\}|end)\s*$/.test(cut);
    expect(passed.filter((cut) => !isTop(cut)).map((cut) => cut.slice(-80))).toEqual([]);
  });
});

const nextLetter = (char: string) => String.fromCharCode(char.charCodeAt(0) + 1);

it("has masked the samples with the fingerprints of their secrets", () => {
  expect(fingerprint("a")).toMatch(/^[0-9a-f]{6}$/);
  expect(samples.reduce((sum, { secrets }) => sum + secrets.length, 0)).toBeGreaterThan(100);
});

it("marks of other programs stay in imported texts, and what stands beside them is masked", () => {
  const kept = [
    "enable secret 5 <secret hidden>",
    "snmp-server community <secret 7c41d0> RO",
    "username ada password <removed>",
    "snmp-server community <configuration removed>",
  ];
  const text = [
    ...kept,
    "enable secret 5 canary-word <secret hidden>",
    "enable secret 5 <secret other>",
  ].join("\n");
  const given = { text, rules: undefined, errors: [], part: "running" as const, fingerprint: () => "abcdef" };
  const read = readConfiguration({ ...given, isMasked: true });
  for (const line of kept) expect(read.text).toContain(`${line}\n`);
  expect(read.text).not.toContain("canary-word");
  expect(read.text).toContain("<secret abcdef>");
  // A device may have such a password.
  expect(readConfiguration(given).text).not.toContain("<secret 7c41d0> RO");
});

it("a section that means nothing when it is empty is no change, and one with a line is", () => {
  const platform = platformOf("frr");
  if (platform === undefined) throw new Error("there is no such platform");
  const compared = (...lines: string[]) => {
    const text = ["hostname R1", "!", ...lines, "router bgp 1", "exit", "!", "end", ""].join("\n");
    return read({ platform, part: "running" }, text).compare;
  };
  expect(compared("interface eth7", "exit", "!")).toBe(compared());
  expect(compared("interface eth7", " shutdown", "exit", "!")).not.toBe(compared());
});

describe("a certificate that the startup configuration names by a file", () => {
  const ios = platformOf("cisco_ios");
  const shown = (certificate: readonly string[], more = "") =>
    readConfiguration({
      ...{ rules: ios?.running, errors: ios?.errors ?? [], part: "running", fingerprint },
      text: [
        ...["version 15.2", "hostname sw1", "!", "crypto pki certificate chain TP-self-signed-29"],
        ...[...certificate, "crypto pki certificate chain CA", " certificate ca 02"],
        ...["  30820200 0A0B0C0D", "  \tquit", `ip domain name example.net${more}`, "!", "end", ""],
      ].join("\n"),
    });
  const body = [" certificate self-signed 01", "  3082022B 30820194 A0030201", "  02020101", "  \tquit"];
  const file = [" certificate self-signed 01 nvram:IOS-Self-Sig#1.cer"];

  it("is no difference between running and startup", () => {
    const [running, startup] = [shown(body), shown(file)];
    expect(running.compare).not.toBe(startup.compare);
    expect(running.compareSaved).toBe(startup.compareSaved);
    expect(shown(body, ".org").compareSaved).not.toBe(startup.compareSaved);
  });

  it("is a new version when it is another one", () => {
    const other = body.map((line) => line.replace("A0030201", "A0030202"));
    expect(shown(other).compare).not.toBe(shown(body).compare);
    expect(shown(other).text).toContain("A0030202");
  });
});
