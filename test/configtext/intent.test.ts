/** What a configuration should be against what it is: sections, their modes, secrets, and the lines that close the gap. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { frrRunning, iosRunning } from "../../plugins/platforms/family/running.ts";
import type { IntentMode } from "../../src/base/intent-modes.ts";
import { compareSections, createMeanings } from "../../src/configtext/intent/compare.ts";
import { fixOf } from "../../src/configtext/intent/fix.ts";
import { markedSecrets, maskedIntent, openMarks } from "../../src/configtext/intent/secrets.ts";
import type { IntentSections } from "../../src/configtext/intent/sections.ts";
import { treeRules } from "../../src/configtext/rules.ts";
import { fingerprintWith } from "../../src/configtext/secrets/secrets.ts";
import { frrConfiguration, randomFrom } from "../configtree/frr-configurations.ts";

const ios = treeRules({ ...iosRunning, negate: "no" });
const frr = treeRules(frrRunning);
const meaningOf = (one: string, rules: typeof ios) => createMeanings(rules)(one);
const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const fingerprint = fingerprintWith("07".repeat(32));

function intentOf(mode: IntentMode, ...match: string[]): IntentSections {
  return { sections: [{ name: "s", match, mode }], ignore: [] };
}

function compared(now: string, wanted: string, intent: IntentSections, rules = ios) {
  const masked = maskedIntent(wanted, iosRunning, fingerprint);
  const shown = maskedIntent(now, iosRunning, fingerprint);
  return compareSections(meaningOf(shown.text, rules), meaningOf(masked.text, rules), intent, masked.salted);
}

const words = (now: string, wanted: string, intent: IntentSections) =>
  compared(now, wanted, intent).sections.map(({ state, lines }) => [
    state,
    ...lines.map(({ kind, path, lines: [line] }) => [kind, ...path, line].join(" / ")),
  ]);

const uplink = text("interface Gi0/1", " description core", " ip address 10.0.0.1 255.255.255.0", "!");

describe("a section", () => {
  test("that is exact has what the intent says and nothing else", () => {
    const intent = intentOf("exact", "interface *");
    expect(words(uplink, uplink, intent)).toEqual([["compliant"]]);
    const other = text("interface Gi0/1", " description edge", " mtu 9000", "interface Gi0/2", " shutdown");
    expect(words(other, uplink, intent)).toEqual([
      [
        "drifted",
        "differs / interface Gi0/1 / description core",
        "missing / interface Gi0/1 / ip address 10.0.0.1 255.255.255.0",
        "extra / interface Gi0/1 / mtu 9000",
        "extra / interface Gi0/2",
        "extra / interface Gi0/2 / shutdown",
      ],
    ]);
  });

  test("that contains its lines may have more", () => {
    const intent = intentOf("contains", "interface *", "ntp server *");
    const more = `${uplink}${text("interface Gi0/2", " shutdown", "ntp server 10.9.9.9")}`;
    expect(words(more, uplink, intent)).toEqual([["compliant"]]);
    expect(words(uplink, more, intent)).toEqual([
      [
        "drifted",
        "missing / interface Gi0/2",
        "missing / interface Gi0/2 / shutdown",
        "missing / ntp server 10.9.9.9",
      ],
    ]);
  });

  test("with lists compares their values", () => {
    const trunk = (vlans: string) => text("interface Gi0/1", ` switchport trunk allowed vlan ${vlans}`);
    expect(words(trunk("10,20-22"), trunk("10,20,21,22"), intentOf("exact", "interface *"))).toEqual([
      ["compliant"],
    ]);
    expect(words(trunk("10-30"), trunk("12"), intentOf("contains", "interface *"))).toEqual([["compliant"]]);
    expect(words(trunk("10-30"), trunk("12"), intentOf("exact", "interface *"))[0]?.[0]).toBe("drifted");
    expect(words(trunk("10"), trunk("12"), intentOf("contains", "interface *"))[0]?.[0]).toBe("drifted");
  });

  test("that is absent has no line that matches, and is an error of the intent if that has one", () => {
    const intent = intentOf("absent", "ip http *", "line vty * > transport input telnet");
    expect(words(text("ip http server", "line vty 0 4", " transport input telnet"), "", intent)).toEqual([
      ["drifted", "extra / ip http server", "extra / line vty 0 4 / transport input telnet"],
    ]);
    expect(words(text("line vty 0 4", " transport input ssh"), "", intent)).toEqual([["compliant"]]);
    expect(words("", text("ip http server"), intent)).toEqual([["intent_error"]]);
  });

  test("that ignores what is extra judges only what the intent names, exactly", () => {
    const intent = intentOf("ignore_extra", "interface *");
    const now = text(
      "interface Gi0/1",
      " description core",
      " mtu 9000",
      " ip address 10.0.0.1 255.255.255.0",
      "interface Gi0/2",
      " shutdown",
    );
    expect(words(now, uplink, intent)).toEqual([["drifted", "extra / interface Gi0/1 / mtu 9000"]]);
  });

  test("that is ordered compares the order of its lines", () => {
    const [a, b] = [
      text("ntp server 1.1.1.1", "ntp server 2.2.2.2"),
      text("ntp server 2.2.2.2", "ntp server 1.1.1.1"),
    ];
    expect(words(a, b, intentOf("exact", "ntp server *"))).toEqual([["compliant"]]);
    expect(words(a, b, intentOf("ordered", "ntp server *"))[0]?.[0]).toBe("drifted");
    const acl = (...lines: string[]) =>
      text("ip access-list extended IN", ...lines.map((line) => ` ${line}`));
    const [one, other] = [
      acl("permit ip any any", "deny tcp any any"),
      acl("deny tcp any any", "permit ip any any"),
    ];
    // The order of an access list counts in every mode.
    expect(words(one, other, intentOf("exact", "ip access-list *"))[0]?.[0]).toBe("drifted");
  });

  test("has its own lines: more specific patterns take them from the line above, and ignored ones count nowhere", () => {
    const intent: IntentSections = {
      sections: [
        { name: "bgp", match: ["router bgp *"], mode: "exact" },
        { name: "peers", match: ["router bgp * > neighbor *"], mode: "contains" },
      ],
      ignore: ["description *", "router bgp * > bgp log-neighbor-changes"],
    };
    const now = text(
      "router bgp 1",
      " bgp log-neighbor-changes",
      " neighbor 10.0.0.9 remote-as 2",
      " neighbor 10.0.0.8 remote-as 3",
    );
    const wanted = text("router bgp 1", " neighbor 10.0.0.9 remote-as 2", "hostname R1");
    const { sections, unmatched } = compared(now, wanted, intent);
    expect(sections.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "bgp compliant",
      "peers compliant",
    ]);
    expect(unmatched).toBe(1);
  });
});

describe("a secret", () => {
  const user = (secret: string) => text(`username admin privilege 15 ${secret}`);
  const intent = intentOf("exact", "username *", "snmp-server *", "enable *");

  test("is compared by its fingerprint", () => {
    expect(
      words(text("snmp-server community s3cretWord RO"), text("snmp-server community s3cretWord RO"), intent),
    ).toEqual([["compliant"]]);
    const differs = compared(
      text("snmp-server community s3cretWord RO"),
      text("snmp-server community 0therWord RO"),
      intent,
    );
    expect(differs.sections[0]?.state).toBe("drifted");
    expect(JSON.stringify(differs)).not.toMatch(/s3cretWord|0therWord/);
  });

  test.each([
    ["secret 9 $9$abcdefgh$ijklmnopqrstuv", "secret 9 $9$zyxwvuts$rqponmlkjihgfe"],
    ["secret 5 $1$abcd$efghijklmnopqrstuvwxyz", "secret 0 clearWord"],
    ["password 7 0822455D0A16", "password clearWord"],
    ["secret sha512 $6$abcd$efghijklm", "secret sha512 $6$zzzz$efghijklm"],
  ])("in the salted form %s is not compared as text", (now, wanted) => {
    const { sections } = compared(user(now), user(wanted), intent);
    expect(sections[0]).toMatchObject({ state: "unknown", counts: { unverified: 1, missing: 0, extra: 0 } });
    // The very same text is the same secret.
    expect(compared(user(now), user(now), intent).sections[0]?.state).toBe("compliant");
  });

  test("in lines of a fix is that of the intent, and one whose mark is not known gives no lines", () => {
    const wanted = maskedIntent(text("snmp-server community 0therWord RO"), iosRunning, fingerprint);
    const now = maskedIntent(text("snmp-server community s3cretWord RO"), iosRunning, fingerprint);
    const { lines } = fixOf(now.text, wanted.text, intent, { rules: ios, salted: wanted.salted });
    expect(openMarks(lines, markedSecrets([...now.secrets, ...wanted.secrets], fingerprint))).toContain(
      "snmp-server community 0therWord RO",
    );
    expect(openMarks(lines, markedSecrets(now.secrets, fingerprint))).toBeUndefined();
  });
});

describe("a fix", () => {
  test("changes only the sections that it is for", () => {
    const intent: IntentSections = {
      sections: [
        { name: "interfaces", match: ["interface *"], mode: "exact" },
        { name: "ntp", match: ["ntp *"], mode: "exact" },
      ],
      ignore: [],
    };
    const now = text("hostname r1", "interface Gi0/1", " description edge", "ntp server 1.1.1.1");
    const wanted = text("interface Gi0/1", " description core", "ntp server 2.2.2.2");
    const all = fixOf(now, wanted, intent, { rules: ios, salted: new Set() });
    expect(all).toMatchObject({ isProven: true });
    expect(all.lines).toEqual(
      expect.arrayContaining([" description core", "no ntp server 1.1.1.1", "ntp server 2.2.2.2"]),
    );
    const some = fixOf(now, wanted, intent, { rules: ios, salted: new Set(), only: new Set(["ntp"]) });
    expect(some.lines).toEqual(["no ntp server 1.1.1.1", "ntp server 2.2.2.2"]);
    expect(some.isProven).toBe(true);
  });

  test("that cannot be had by lines is not proven", () => {
    const intent = intentOf("ordered", "ntp server *");
    const fix = fixOf(
      text("ntp server 1.1.1.1", "ntp server 2.2.2.2"),
      text("ntp server 2.2.2.2", "ntp server 1.1.1.1"),
      intent,
      {
        rules: ios,
        salted: new Set(),
      },
    );
    expect(fix.isProven).toBe(false);
  });

  const modes = fc.constantFrom<IntentMode>("exact", "contains", "ignore_extra");
  const matches = fc.subarray(
    ["interface *", "router bgp *", "route-map *", "ip prefix-list *", "ip route *", "router ospf*"],
    { minLength: 1 },
  );
  test("of random configurations leaves what the intent wants, and is nothing where nothing drifts", () => {
    let [fixes, proven] = [0, 0];
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), modes, matches, (one, other, mode, match) => {
        const [now, wanted] = [frrConfiguration(randomFrom(one)), frrConfiguration(randomFrom(other))];
        const intent = intentOf(mode, ...match);
        const [before] = compareSections(meaningOf(now, frr), meaningOf(wanted, frr), intent).sections;
        const fix = fixOf(now, wanted, intent, { rules: frr, salted: new Set() });
        expect(fix.lines.length === 0).toBe(before?.state === "compliant");
        fixes++;
        if (fix.isProven) proven++;
        // A text against itself never drifts, in any mode.
        const [same] = compareSections(meaningOf(now, frr), meaningOf(now, frr), intent).sections;
        expect(same?.state).toBe("compliant");
      }),
      { numRuns: 300, seed: 7 },
    );
    expect(proven / fixes).toBeGreaterThan(0.99);
  });
});
