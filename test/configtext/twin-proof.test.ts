/** Lines of a fix and of a push are proven on a twin, and what it does not know is told. */
import { expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { twinProofRecord } from "../../src/api/rehearsal/twin-proof.ts";
import { fixOf } from "../../src/configtext/intent/fix.ts";
import { modesOf, plainModes, plainRules, twinRules, writtenRules } from "../../src/configtext/rules.ts";
import { proofOf } from "../../src/configtext/twin-proof.ts";
import { compareTexts } from "../../src/configtext/work.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";

const platform = builtins.find(
  (plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === "cisco_ios",
);
const written = writtenRules(platform);
const { rules, modes } = twinRules(written, modesOf(platform));
const now = `hostname r1
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 !
 address-family ipv4
  neighbor 10.0.0.2 activate
 exit-address-family
!
end
`;

function foretold(lines: readonly string[], given: string | null = now) {
  const found = compareTexts({
    ...{ form: "foresee", a: given ?? "", b: lines.join("\n"), isKnown: given !== null },
    ...{ rules: plainRules(written), modes: plainModes(modesOf(platform)) },
  });
  if (found.form !== "foresee") throw new Error(found.form);
  return found;
}

test("lines that are all known are proven", () => {
  const { twin } = foretold(["router bgp 65001", " neighbor 10.0.0.3 remote-as 65003"]);
  expect(twin).toMatchObject({ isProven: true, lines: 2, unknownLines: 0 });
  if (twin !== undefined)
    expect(twinProofRecord(twin, true).message).toBe(
      "Proven on a twin: it took 2 lines, and shows what they should leave.",
    );
});

test("a section that is left by its indentation only is found", () => {
  // A device looks at no blanks: the last line stands in the address family.
  const { twin } = foretold([
    "router bgp 65001",
    " address-family ipv4",
    "  neighbor 10.0.0.2 activate",
    " timers bgp 3 9",
  ]);
  expect(twin).toMatchObject({ isProven: false, refused: undefined });
});

test("what nobody knows is a condition of the proof, and who may not read configurations sees none", () => {
  const { twin } = foretold(["frobnicate the gizmo"]);
  expect(twin).toMatchObject({ isProven: true, unknown: [{ line: 1 }], unknownLines: 1 });
  const { twin: refused } = foretold(["router bgp 65001", " neighbor 10.0.0.9 description x"]);
  expect(refused).toMatchObject({ isProven: false, refused: { line: 2 } });
  if (twin === undefined || refused === undefined) throw new Error("no proof");
  expect(twinProofRecord(twin, true).message).toContain(
    "if the system takes what nothing is known of: 1 of 1",
  );
  expect(twinProofRecord(refused, true).message).toContain('it needs "neighbor 10.0.0.9"');
  expect(JSON.stringify(twinProofRecord(refused, false))).not.toContain("10.0.0.9");
});

test("without a configuration, or with one that is too long, there is none", () => {
  expect(foretold(["hostname r2"], null).twin).toBeUndefined();
  const long = `${now}${"!\n".repeat(3 * 1024 * 1024)}`;
  expect(proofOf({ now: long, lines: ["hostname r2"], rules, modes, isWanted: () => true })).toBeUndefined();
});

test("the lines of a fix leave what the intent wants on a twin, too", () => {
  const intent = {
    sections: [{ name: "bgp", match: ["router bgp *"], mode: "contains" as const }],
    ignore: [],
  };
  const wanted = "router bgp 65001\n neighbor 10.0.0.2 remote-as 65007\n neighbor 10.0.0.3 remote-as 65003\n";
  const fix = fixOf(now, wanted, intent, { rules, modes, salted: new Set() });
  expect(fix).toMatchObject({ isProven: true, twin: { isProven: true, unknownLines: 0 } });
});

test("a neighbour is there before it is described, and before its family has it", () => {
  const frr = builtins.find(
    (plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === "frr_vtysh",
  );
  const twin = twinRules(writtenRules(frr), modesOf(frr));
  const intent = { sections: [{ name: "bgp", match: ["router bgp *"], mode: "exact" as const }], ignore: [] };
  const text = (...lines: string[]) => ["router bgp 65001", ...lines, "exit", "!", "end", ""].join("\n");
  const has = text(
    ...[
      " neighbor PG peer-group",
      " neighbor 192.0.2.7 remote-as 65003",
      " neighbor 192.0.2.7 description x",
    ],
    ...[" !", " address-family ipv4 unicast", "  network 10.1.0.0/16", " exit-address-family"],
  );
  const wanted = text(
    ...[" neighbor PG peer-group", " neighbor 192.0.2.7 peer-group PG", " neighbor 192.0.2.7 description x"],
    ...[" neighbor 192.0.2.8 remote-as 65004", " !", " address-family ipv4 unicast", "  network 10.1.0.0/16"],
    ...["  neighbor 192.0.2.8 maximum-prefix 200", " exit-address-family"],
  );
  expect(fixOf(has, wanted, intent, { ...twin, salted: new Set() })).toMatchObject({
    isProven: true,
    twin: { refused: undefined },
  });
});
